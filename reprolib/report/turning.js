(() => {
  const root = document.currentScript.parentElement;
  const data = JSON.parse(root.querySelector('[type="application/json"]').textContent);
  const image = root.querySelector("img"), told = root.querySelector("p"), at = [...data.start];
  const found = (layer) => layer.of[layer.by.map((i) => at[i]).join(" ")] ?? "";
  const draw = () => {
    const svg = data.head + data.layers.map(found).join("") + "</svg>";
    image.src = "data:image/svg+xml," + encodeURIComponent(svg);
    image.alt = told.textContent = found(data.title);
    for (const [i, slider] of sliders.entries()) {
      const label = data.choices[i].labels[at[i]];
      slider.value = at[i];
      slider.setAttribute("aria-valuetext", label);
      slider.nextSibling.textContent = label;
    }
  };
  const sliders = data.choices.map(({ name, labels }, i) => {
    const row = document.createElement("label"), slider = document.createElement("input");
    row.style = "display: grid; grid-template-columns: 5.5em 1fr 9em; gap: .6em; align-items: center";
    Object.assign(slider, { type: "range", min: 0, max: labels.length - 1, style: "width: 100%; min-height: 2em" });
    slider.addEventListener("input", () => { at[i] = +slider.value; draw(); });
    row.append(name, slider, document.createElement("output"));
    root.insertBefore(row, told);
    return slider;
  });
  const drag = (event) => {
    if (event.type === "pointermove" && !event.buttons) return;
    const box = image.getBoundingClientRect(), [left, right, top, bottom] = data.drag;
    const part = [(event.clientX - box.left) / box.width * data.size[0], (event.clientY - box.top) / box.height * data.size[1]];
    const way = [(part[0] - left) / (right - left), (bottom - part[1]) / (bottom - top)];
    way.forEach((w, i) => { at[i] = Math.round(Math.min(Math.max(w, 0), 1) * (data.choices[i].labels.length - 1)); });
    event.preventDefault();
    draw();
  };
  if (data.drag) {
    image.draggable = false;
    image.style.touchAction = "none";
    for (const type of ["pointerdown", "pointermove"]) image.addEventListener(type, drag);
  }
  draw();
})();
