"use strict";
const collator = new Intl.Collator("en", { numeric: true });

/* Numbers by value, before texts; texts in the order of a dictionary. */
function compare(a, b) {
  const x = parseFloat(a), y = parseFloat(b);
  if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || collator.compare(a, b);
  return x - y || collator.compare(a, b);
}

function sortBy(table, index) {
  const headers = [...table.tHead.rows[0].cells], header = headers[index], body = table.tBodies[0];
  const sign = header.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  for (const other of headers) other.setAttribute("aria-sort", "none");
  header.setAttribute("aria-sort", sign === 1 ? "ascending" : "descending");
  const text = (row) => row.cells[index].textContent.trim();
  body.append(...[...body.rows].sort((a, b) => sign * compare(text(a), text(b))));
}

function filterRows(records) {
  const rows = [...records.querySelectorAll("tbody tr")];
  const wanted = records.querySelector("input").value.toLowerCase();
  const verdict = records.querySelector("select")?.value;
  for (const row of rows) {
    const fits = !verdict || row.querySelector("td.verdict").dataset.verdict === verdict;
    row.hidden = !(fits && row.textContent.toLowerCase().includes(wanted));
  }
  const shown = rows.filter((row) => !row.hidden).length;
  records.querySelector("[role=status]").textContent = `${shown} of ${rows.length} rows`;
}

for (const records of document.querySelectorAll(".records")) {
  const table = records.querySelector("table");
  [...table.tHead.rows[0].cells].forEach((header, index) =>
    header.querySelector("button").addEventListener("click", () => sortBy(table, index)));
  const controls = records.querySelector(".controls");
  if (!controls) continue;
  controls.addEventListener("input", () => filterRows(records));
  filterRows(records);
}

/* Paper has no folds. */
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
});
