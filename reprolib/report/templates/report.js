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

/* The scoreboard under one reading: marks that it does not concern keep their verdict, drawn faint. */
function showReading(choice) {
  const paper = choice.selectedOptions[0].dataset.paper, counts = {};
  const marks = [...document.querySelectorAll(".mark")].filter((mark) => {
    const outcomes = JSON.parse(mark.dataset.outcomes);
    const concerned = (!paper || mark.dataset.paper === paper) && choice.value in outcomes;
    const [word, text] = outcomes[concerned ? choice.value : ""], slug = word.replaceAll(" ", "-");
    const symbol = mark.querySelector("use");
    symbol.setAttribute("class", slug);
    symbol.setAttribute("href", `#mark-${slug}`);
    mark.querySelector("title").textContent = text;
    mark.classList.toggle("unmeasured", !concerned);
    if ("claim" in mark.dataset) return false;
    if (concerned) counts[word] = (counts[word] ?? 0) + 1;
    return concerned;
  });
  const told = [];
  for (const entry of document.querySelectorAll(".scoreboard .legend")) {
    const word = entry.dataset.word, count = counts[word] ?? 0;
    entry.querySelector("text").textContent = `${word} (${count})`;
    if (count) told.push(`${count} ${word}`);
  }
  document.getElementById("reading-status").textContent = `${marks.length} numbers: ${told.join(", ")}`;
}

const choice = document.getElementById("reading");
choice?.addEventListener("change", () => showReading(choice));
if (choice) showReading(choice);

const MARKS = ".mark, .line, .line .reading";
/* One mark of a picture is in the order of tabs. The arrow keys go on from there, up and down past
   the readings of a line. What the mark stands for is told below the picture, for touch too. */
function tellMarks(figure) {
  const picture = figure.querySelector("svg"), told = figure.querySelector(".told");
  const marks = [...picture.querySelectorAll(MARKS)];
  const lines = marks.filter((mark) => !mark.matches(".reading"));
  picture.setAttribute("role", "group");
  for (const mark of marks) {
    mark.setAttribute("role", mark.matches(".line") ? "group" : "img");
    mark.setAttribute("tabindex", mark === marks[0] ? 0 : -1);
  }
  const tell = (event) => {
    const mark = event.target.closest(MARKS);
    if (mark) told.textContent = mark.querySelector("title").textContent;
    return mark;
  };
  // Not on the picture: Chromium lets an SVG that listens for focus have the focus itself.
  for (const type of ["pointerover", "click"]) figure.addEventListener(type, tell);
  figure.addEventListener("focusin", (event) => {
    const focused = tell(event);
    if (focused) for (const mark of marks) mark.setAttribute("tabindex", mark === focused ? 0 : -1);
  });
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    const here = event.target.closest(MARKS);
    if (!step || !here) return;
    event.preventDefault();
    const sideways = ["ArrowLeft", "ArrowRight"].includes(event.key), among = sideways ? marks : lines;
    among[among.indexOf(sideways ? here : here.closest(".mark, .line")) + step]?.focus();
  });
}
document.querySelectorAll("figure:has(.told)").forEach(tellMarks);

/* The contents: folded where they would cover the text, and marked where one reads. */
const contents = document.querySelector("nav details"), wide = matchMedia("(min-width: 64rem)");
const fold = () => { contents.open = wide.matches; };
wide.addEventListener("change", fold);
fold();
contents.addEventListener("click", (event) => { if (event.target.closest("a")) fold(); });
const links = [...contents.querySelectorAll("a[href^='#']")];
function markPlace() {
  const passed = links.filter((link) => document.querySelector(link.hash).getBoundingClientRect().top < innerHeight / 3);
  for (const link of links) link.removeAttribute("aria-current");
  (passed.at(-1) ?? links[0]).setAttribute("aria-current", "location");
}
addEventListener("scroll", markPlace, { passive: true });
markPlace();

/* Paper has no folds. */
let folded = [];
addEventListener("beforeprint", () => {
  folded = [...document.querySelectorAll("details:not([open])")];
  for (const details of folded) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of folded) details.open = false;
});
