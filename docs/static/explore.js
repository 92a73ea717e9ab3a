"use strict";
const data = JSON.parse(document.getElementById("records").textContent);
const LEVELS = ["paper", "table", "row", "column", "reading"];
const cell = document.getElementById("cell"), dimension = document.getElementById("dimension");
const box = (name) => (cell.querySelector(`[name=${name}]`) ?? dimension.querySelector(`[name=${name}]`));
const state = {};

/* An element of the page with attributes and children; texts are never read as HTML. */
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "g", "line", "rect", "use", "text", "path", "circle"].includes(tag);
  const made = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
  made.append(...children);
  return made;
}

function mark(word) {
  const { slug } = data.words[word], use = make("use", { href: `#mark-${slug}`, class: slug });
  return make("svg", { class: "sign", viewBox: "-7 -7 14 14", width: 14, height: 14, "aria-hidden": true }, use);
}

const unique = (values) => [...new Set(values)];
const outcome = (list) => Object.fromEntries(data.outcome.map((name, i) => [name, list[i]]));

/* What can be chosen at each level, given the levels before it; a choice that is none becomes the first. */
function settle() {
  const choices = { paper: data.papers.map((p) => p.key) };
  const keep = (level) => { if (!choices[level].includes(state[level])) state[level] = choices[level][0] ?? ""; };
  keep("paper");
  const paper = data.papers.find((p) => p.key === state.paper);
  let numbers = paper.numbers;
  for (const level of ["table", "row", "column"]) {
    choices[level] = unique(numbers.map((n) => n[level]));
    keep(level);
    numbers = numbers.filter((n) => n[level] === state[level]);
  }
  const number = numbers[0], outcomes = number.outcomes.map(outcome);
  choices.reading = outcomes.map((o) => o.reading);
  keep("reading");
  return { choices, paper, number, outcomes };
}

function fill(select, values, chosen, text = (value) => value) {
  select.replaceChildren(...values.map((value) => make("option", { value }, text(value))));
  select.value = chosen;
  select.disabled = !values.length;
}

function sentence(number, o) {
  if (!o) return `printed ${number.printed}, not measured: ${number.word}`;
  return `printed ${number.printed}, ours ${o.ours}, difference ${o.difference} ± ${o["half-width"]} (95 %), ${o.trials} trials, ${o.source}: ${o.word}`;
}

function showCell() {
  const { choices, paper, number, outcomes } = settle();
  const texts = {
    paper: (key) => data.papers.find((p) => p.key === key).title,
    table: (key) => `${key}: ${paper.tables[key]}`,
  };
  for (const level of LEVELS) fill(box(level), choices[level], state[level], texts[level]);
  const chosen = outcomes.find((o) => o.reading === state.reading);
  const judged = chosen === outcomes[0], word = judged ? number.word : chosen.word;
  cell.querySelector(".told").replaceChildren(mark(word), ` ${paper.key.toUpperCase()}, ${number.row}, ${number.column}: ${sentence(number, chosen)}`
    + (judged && chosen && chosen.word !== number.word ? ` by this reading alone; the verdict is ${number.word}` : "")
    + (chosen ? `, under “${chosen.reading}”.` : "."));
  showFacts(paper, number, chosen, word);
  showForest(paper, number, outcomes);
}

function showFacts(paper, number, o, word) {
  const link = make("a", { href: "words.html#the-verdicts" }, word);
  const facts = [["verdict", [mark(word), " ", link, `. ${data.words[word].meaning}`]], ["printed", [number.printed]]];
  if (o) {
    const reading = paper.readings[o.reading] ?? { question: "", text: "" };
    facts.push(
      ["ours", [`${o.ours} (${o.trials} trials, data: ${o.source})`]],
      ["difference", [`${o.difference} ± ${o["half-width"]} (95 % interval; design: ${number.design})`]],
      ["surely", [o.surely]],
      ["reading", [make("b", {}, o.reading), reading.control ? " (a control: no reading of the text)" : ""]],
      ["its question", [reading.question]],
      ["what is taken", [reading.text]],
    );
  }
  if (number.why) facts.push(["why", [number.why]]);
  if (number.credited) facts.push(["credited", [`“${number.credited}”, one of ${number.tried} readings tried`]]);
  facts.push(["read on", [make("a", { href: paper.notebook }, "notebook"), " · ", make("a", { href: `../report.html#${paper.key}` }, "report")]]);
  cell.querySelector(".facts").replaceChildren(...facts.flatMap(([name, parts]) => [make("dt", {}, name), make("dd", {}, ...parts)]));
}

/* Ticks at round values: evenly, or 1, 3, 10, 30 ... where values differ by more than twenty times. */
function ticks(low, high, wide, wanted = 5) {
  if (wide) return [0, ...[0, 1, 2, 3, 4, 5].flatMap((k) => [10 ** k, 3 * 10 ** k])].filter((t) => low <= t && t <= high);
  const raw = (high - low) / wanted, power = 10 ** Math.floor(Math.log10(raw));
  const step = power * [1, 2, 5, 10].find((m) => m * power >= raw), first = Math.ceil(low / step);
  return Array.from({ length: Math.floor(high / step) - first + 1 }, (_, i) => Number(((first + i) * step).toPrecision(6)));
}

/* Where values are, in per cent of the width: the picture is as wide as the page without being drawn anew. */
function placed(number, outcomes) {
  const ends = outcomes.flatMap((o) => [o.value, o.low, o.high]).filter((x) => x !== null), margin = number.margin ?? 0;
  let low = Math.min(number.value - margin, ...ends), high = Math.max(number.value + margin, ...ends);
  if (low === high) [low, high] = [low - 1, high + 1];
  const wide = number.quantity === "selection" && low >= 0 && high > 20 * Math.max(low, 1);
  const bend = wide ? Math.asinh : (x) => x, span = bend(high) - bend(low);
  const x = (value) => `${(3 + 94 * (bend(value) - bend(low)) / span).toFixed(2)}%`;
  return { x, ticks: ticks(low, high, wide) };
}

function strip(number, o, { x, ticks: at }) {
  const drawn = make("svg", { class: "strip", "aria-hidden": true });
  if (number.margin) {
    const [left, right] = [x(number.value - number.margin), x(number.value + number.margin)];
    drawn.append(make("rect", { class: "margin", x: left, width: `${parseFloat(right) - parseFloat(left)}%`, y: 0, height: "100%" }));
  }
  for (const t of at) drawn.append(make("line", { class: "grid", x1: x(t), x2: x(t), y1: 0, y2: "100%" }));
  drawn.append(make("line", { class: "published", x1: x(number.value), x2: x(number.value), y1: 0, y2: "100%" }));
  if (!o) return drawn;
  const { slug } = data.words[o.word];
  if (o.low !== null && o.high !== null) drawn.append(make("line", { class: `interval ${slug}`, x1: x(o.low), x2: x(o.high), y1: "50%", y2: "50%" }));
  // A length in per cent moves `x` of a use, and the mark is drawn around its origin.
  if (o.value !== null) drawn.append(make("svg", { x: x(o.value), y: "50%", overflow: "visible" }, make("use", { href: `#mark-${slug}`, class: slug })));
  return drawn;
}

function showForest(paper, number, outcomes) {
  const readings = cell.querySelector(".readings"), list = readings.querySelector("div"), pointed = readings.querySelector(".pointed");
  const scale = placed(number, outcomes), held = list.contains(document.activeElement);
  const control = (name) => (paper.readings[name]?.control ? " (control)" : "");
  const tell = (o) => { pointed.textContent = o ? `${o.reading}: ${sentence(number, o)}` : "Point at a line, or go through the lines with the arrow keys."; };
  const rows = outcomes.map((o) => {
    const radio = make("input", { type: "radio", name: "of", value: o.reading });
    radio.checked = o.reading === state.reading;
    const row = make("label", {}, radio, make("span", { class: "name" }, o.reading, control(o.reading), make("span", { class: "hidden" }, ` ${sentence(number, o)}`)), make("span", { class: "plot" }, strip(number, o, scale)));
    row.addEventListener("pointerover", () => tell(o));
    row.addEventListener("pointerleave", () => tell(outcomes.find((other) => other.reading === state.reading)));
    radio.addEventListener("focus", () => tell(o));
    radio.addEventListener("change", () => choose("reading", o.reading));
    return row;
  });
  const axis = make("svg", { class: "strip axis", "aria-hidden": true });
  for (const t of scale.ticks) axis.append(make("text", { class: "tick", x: scale.x(t), y: 14 }, `${t}`));
  list.replaceChildren(...rows, make("div", { class: "label" }, make("span", { class: "name" }, number.quantity === "selection" ? "selected" : "as printed"), make("span", { class: "plot" }, axis)));
  readings.hidden = !outcomes.length;
  tell(outcomes.find((o) => o.reading === state.reading));
  if (held) list.querySelector(":checked").focus();
}

/* Left and right of the curve, in pixels. */
const left = 38, right = 12;

/* KPM's error against D: above the errors, below the difference to the SVM. */
function showCurve() {
  const curve = data.curves.find((c) => c.set === state.set), n = curve.test.length, slider = box("D");
  state.D = Math.min(Math.max(Math.round(state.D) || 1, 1), n);
  slider.max = n;
  slider.value = state.D;
  box("set").value = state.set;
  const i = state.D - 1, [low, high] = [curve.minus[i] - curve.half[i], curve.minus[i] + curve.half[i]];
  const sign = (x) => `${x < 0 ? "−" : "+"}${Math.abs(x).toFixed(2)}`;
  slider.setAttribute("aria-valuetext", `D = ${state.D}, test error ${curve.test[i].toFixed(2)} %`);
  dimension.querySelector(".told").textContent = `${curve.name}, D = ${state.D}: test error ${curve.test[i].toFixed(2)} % (middle 80 % of ${curve.partitions} partitions: ${curve.low[i].toFixed(2)} to ${curve.high[i].toFixed(2)}), training error ${curve.train[i].toFixed(2)} %. `
    + `KPM − SVM ${sign(curve.minus[i])} ± ${curve.half[i].toFixed(2)} points: ${low > 0 ? "the SVM is better" : high < 0 ? "KPM is better" : "the interval includes zero"}. `
    + `Cross-validation selects D from ${curve.selected[0]} to ${curve.selected[2]} in four partitions of five (median ${curve.selected[1]}), with a test error of ${curve.chosen.toFixed(2)} %.`
    + (curve.printed ? ` In print: D = ${curve.printed}.` : "") + ` Data: ${curve.source}.`;
  drawCurve(curve, i);
}

function drawCurve(curve, i) {
  const place = dimension.querySelector(".curve"), width = Math.max(place.clientWidth, 280), n = curve.test.length;
  const less = curve.minus.map((m, k) => m - curve.half[k]), more = curve.minus.map((m, k) => m + curve.half[k]);
  // Far too few components are so much worse that the others could not be told apart: they run off the top.
  const from = Math.min(curve.selected[0], n) - 1, panels = [{ top: 10, bottom: 210, values: [...curve.low, ...curve.high, ...curve.train, curve.svm] },
    { top: 240, bottom: 340, values: [0, ...less.slice(from), ...more.slice(from)] }];
  const x = (D) => left + (width - left - right) * (n > 1 ? (D - 1) / (n - 1) : 0.5);
  const drawn = make("svg", { width, height: 375, role: "img", "aria-label": `Error of KPM against D on ${curve.name}; the sentence above has the numbers at D = ${i + 1}.` });
  const add = (tag, attributes, ...text) => drawn.append(make(tag, attributes, ...text));
  for (const panel of panels) {
    const low = Math.min(...panel.values), high = Math.max(...panel.values);
    panel.y = (value) => panel.bottom - (panel.bottom - panel.top) * Math.min(Math.max((value - low) / (high - low || 1), 0), 1);
    for (const t of ticks(low, high, false, panel === panels[0] ? 5 : 3)) {
      add("line", { class: "grid", x1: left, x2: width - right, y1: panel.y(t), y2: panel.y(t) });
      add("text", { class: "tick side", x: left - 6, y: panel.y(t) + 4 }, `${t}`);
    }
  }
  const line = (values, y) => "M" + values.map((v, k) => `${x(k + 1).toFixed(1)} ${y(v).toFixed(1)}`).join("L");
  const band = (a, b, y) => line(a, y) + "L" + b.map((v, k) => `${x(k + 1).toFixed(1)} ${y(v).toFixed(1)}`).reverse().join("L") + "Z";
  const [error, minus] = panels.map((panel) => panel.y);
  add("path", { class: "band", d: band(curve.low, curve.high, error) });
  add("line", { class: "svm", x1: left, x2: width - right, y1: error(curve.svm), y2: error(curve.svm) });
  add("path", { class: "train", d: line(curve.train, error) });
  add("path", { class: "kpm", d: line(curve.test, error) });
  add("path", { class: "band", d: band(less, more, minus) });
  add("line", { class: "zero", x1: left, x2: width - right, y1: minus(0), y2: minus(0) });
  add("path", { class: "kpm", d: line(curve.minus, minus) });
  add("line", { class: "selected", x1: x(Math.min(curve.selected[0], n)), x2: x(Math.min(curve.selected[2], n)), y1: 342, y2: 342 });
  if (curve.printed && curve.printed <= n) add("line", { class: "printed", x1: x(curve.printed), x2: x(curve.printed), y1: 10, y2: 340 });
  add("line", { class: "here", x1: x(i + 1), x2: x(i + 1), y1: 10, y2: 340 });
  add("circle", { class: "here", cx: x(i + 1), cy: error(curve.test[i]), r: 5 });
  add("circle", { class: "here", cx: x(i + 1), cy: minus(curve.minus[i]), r: 5 });
  for (const D of ticks(1, n, false)) add("text", { class: "tick", x: x(D), y: 356 }, `${D}`);
  add("text", { class: "tick", x: left + (width - left - right) / 2, y: 372 }, "D");
  add("text", { class: "side", x: width - right, y: 22 }, "error in %");
  add("text", { class: "side", x: width - right, y: 232 }, "KPM − SVM, points");
  place.replaceChildren(drawn);
}

function slide(event) {
  if (event.type === "pointermove" && !event.buttons) return;
  const at = event.currentTarget.getBoundingClientRect(), n = data.curves.find((c) => c.set === state.set).test.length;
  choose("D", 1 + (n - 1) * (event.clientX - at.left - left) / (at.width - left - right), event.type === "pointerdown");
}

/* The address: paper/table/row/column/reading/set/D. What it lacks stays as it is. */
function readAddress() {
  const parts = location.hash.slice(1).split("/").map((part) => { try { return decodeURIComponent(part); } catch { return part; } });
  if (parts[1] === "claims" || !data.papers.some((p) => p.key === parts[0])) return false;
  for (const level of LEVELS.slice(1)) state[level] = "";
  [...LEVELS, "set", "D"].forEach((level, i) => { if (parts[i]) state[level] = parts[i]; });
  if (!parts[5]) follow();
  if (!data.curves.some((c) => c.set === state.set)) state.set = data.curves[0]?.set;
  return true;
}

function writeAddress() {
  const levels = data.curves.length ? [...LEVELS, "set", "D"] : LEVELS;
  history.replaceState(null, "", "#" + levels.map((level) => encodeURIComponent(state[level])).join("/"));
}

/* A row of KPM's tables brings its curve, at the D that cross-validation selects. */
function follow() {
  const curve = data.curves.find((c) => state.paper === "kpm" && c.name === state.row);
  if (curve && curve.set !== state.set) showSet(curve);
}

function showSet(curve) {
  state.set = curve.set;
  state.D = Math.round(curve.selected[1]);
}

/* While something slides, the address waits: browsers bound how often it may change. */
function choose(name, value, done = true) {
  const judged = settle().choices.reading[0];
  state[name] = value;
  if (name === "set") showSet(data.curves.find((c) => c.set === value));
  if (LEVELS.includes(name)) {
    // Another cell is seen under the same reading, or, from the judged one, under the one judged there.
    if (name !== "reading" && judged === state.reading) state.reading = "";
    showCell();
    follow();
  }
  if (data.curves.length) showCurve();
  if (done) writeAddress();
}

function show() {
  showCell();
  if (data.curves.length) showCurve();
}

cell.hidden = false;
dimension.hidden = !data.curves.length;
document.querySelector(".all").open = false;
// The address now leads to the selectors, no longer to a row.
for (const row of document.querySelectorAll(".all tr[id]")) row.removeAttribute("id");
for (const level of LEVELS) box(level).addEventListener("change", (event) => choose(level, event.target.value));
for (const form of document.querySelectorAll("form.controls")) form.addEventListener("submit", (event) => event.preventDefault());
if (data.curves.length) {
  showSet(data.curves[0]);
  fill(box("set"), data.curves.map((c) => c.set), state.set, (set) => data.curves.find((c) => c.set === set).name);
  box("set").addEventListener("change", (event) => choose("set", event.target.value));
  for (const type of ["input", "change"]) box("D").addEventListener(type, (event) => choose("D", event.target.value, type === "change"));
  const place = dimension.querySelector(".curve");
  for (const type of ["pointerdown", "pointermove"]) place.addEventListener(type, slide);
  place.addEventListener("pointerup", writeAddress);
  new ResizeObserver(showCurve).observe(place);
}
/* Opens the claim that the address names; the browser itself goes there. */
function openClaim() {
  const details = document.getElementById(location.hash.slice(1))?.querySelector(".claims details");
  if (details) details.open = true;
}

const led = readAddress();
show();
openClaim();
const arrive = () => {
  const heading = cell.querySelector("h2");
  heading.scrollIntoView();
  heading.focus({ preventScroll: true });
};
if (led) arrive();
addEventListener("hashchange", () => {
  openClaim();
  if (readAddress()) { show(); arrive(); }
});
