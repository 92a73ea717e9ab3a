"use strict";
/* One line of a picture is in the order of tabs. The arrow keys go on from there. What the line stands for is told
   below the picture, for touch too. */
function tellLines(figure) {
  const picture = figure.querySelector("svg"), told = figure.querySelector(".told");
  const lines = [...picture.querySelectorAll(".line")];
  picture.setAttribute("role", "group");
  for (const line of lines) {
    line.setAttribute("role", "img");
    line.setAttribute("tabindex", line === lines[0] ? 0 : -1);
  }
  const tell = (event) => {
    const line = event.target.closest(".line");
    if (line) told.textContent = line.querySelector("title").textContent;
    return line;
  };
  // Not on the picture: Chromium lets an SVG that listens for focus have the focus itself.
  for (const type of ["pointerover", "click"]) figure.addEventListener(type, tell);
  figure.addEventListener("focusin", (event) => {
    const focused = tell(event);
    if (focused) for (const line of lines) line.setAttribute("tabindex", line === focused ? 0 : -1);
  });
  figure.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key], here = event.target.closest(".line");
    if (!step || !here) return;
    event.preventDefault();
    lines[lines.indexOf(here) + step]?.focus();
  });
}
document.querySelectorAll("figure:has(.told)").forEach(tellLines);

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
