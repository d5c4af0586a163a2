// ---- a page of values over time: the pointer reads them in all panels, dragging looks closer

const panels = JSON.parse($("panels").textContent).map((panel) => {
  const shared = panel.times && logic.decode(panel.times, Float64Array);
  const curves = panel.curves.map(({ label, times, values }) => ({
    label, times: times ? logic.decode(times, Float64Array) : shared, values: logic.decode(values, Float32Array) }));
  return { ...panel, curves };
});
const whole = panels.flatMap((panel) => panel.curves.map(({ times }) => times)).filter((times) => times.length)
  .reduce(([from, to], times) => [Math.min(from, times[0]), Math.max(to, times[times.length - 1])], [Infinity, -Infinity]);
const clock = { from: 0, to: 1, time: NaN, chosen: null };
const least = 4; // pixels; a shorter way of the pointer is a click

function look(from, to) {
  [clock.from, clock.to] = to > from ? [from, to] : [0, 1];
  for (const plot of plots) plot.isStale = true;
  draw();
}

function draw() {
  for (const plot of plots) plot.draw();
  $("now").textContent = Number.isFinite(clock.time) ? logic.seconds(clock.time) : "";
}

const hand = {
  press: (time) => { clock.chosen = [time, time]; },
  move: (time, isPressed) => {
    clock.time = time;
    if (isPressed && clock.chosen) clock.chosen[1] = time;
    draw();
  },
  release: () => {
    const [from, to] = clock.chosen?.toSorted((a, b) => a - b) ?? [0, 0];
    clock.chosen = null;
    const pixels = (to - from) / (clock.to - clock.from) * document.querySelector("canvas").clientWidth;
    if (pixels >= least) look(from, to); else draw();
  },
  leave: () => { clock.time = NaN; draw(); },
};

const plots = panels.map(({ title, unit, curves }) => {
  const section = document.createElement("section"), legend = document.createElement("p");
  section.className = "plot"; legend.className = "legend";
  section.append(document.createElement("h2"), legend, document.createElement("canvas"));
  document.querySelector("main").append(section);
  section.querySelector("canvas").addEventListener("dblclick", () => look(...whole));
  const plot = new Plot(section, clock, hand);
  plot.show(title, unit === "1" ? "" : unit, curves);
  return plot;
});

readColors();
look(...whole);
$("all").addEventListener("click", () => look(...whole));
addEventListener("keydown", (event) => { if (event.key === "Escape") look(...whole); });
new ResizeObserver(draw).observe(document.querySelector("main"));
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => { readColors(); look(clock.from, clock.to); });
window.coopsim = { panels, plots, clock, look, whole, logic };
