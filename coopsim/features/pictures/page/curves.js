const $ = (id) => document.getElementById(id);
let paint = {};

// ---- drawing on canvases of any density

function canvasOf(canvas) {
  const box = canvas.getBoundingClientRect(), dense = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(box.width * dense)), height = Math.max(1, Math.round(box.height * dense));
  if (canvas.width !== width || canvas.height !== height) { canvas.width = width; canvas.height = height; }
  const on = canvas.getContext("2d");
  on.setTransform(dense, 0, 0, dense, 0, 0);
  on.clearRect(0, 0, box.width, box.height);
  on.lineJoin = on.lineCap = "round";
  return { on, width: box.width, height: box.height };
}

function readColors() {
  const style = getComputedStyle(document.documentElement);
  for (const name of ["ink", "quiet", "paper", "line", "floor", "grid", "wall", "wall-edge", "accent"])
    paint[name] = style.getPropertyValue(`--${name}`).trim();
  paint.font = getComputedStyle(document.body).fontFamily;
  paint.isDark = matchMedia("(prefers-color-scheme: dark)").matches;
}

// the colour of each of some curves: clearly different ones for few, a scale for many
function shades(count) {
  const { light, dark, first, last, saturation, lightness } = drawing.curves, few = paint.isDark ? dark : light;
  if (count <= few.length) return (k) => few[k];
  const hue = (k) => Math.round(first + ((last - first) * k) / (count - 1));
  return (k) => `hsl(${hue(k)}, ${100 * saturation}%, ${100 * lightness}%)`;
}

// ---- values over time

const margin = { left: 44, right: 8, top: 6, bottom: 18 };

// A panel of curves over the time of a clock: { from, to } is what is seen, `time` where its cursor stands (NaN: nowhere).
// `hand` is told of the pointer: press, move and release, each with a time.
class Plot {
  constructor(section, clock, hand) {
    this.section = section; this.clock = clock; this.canvas = section.querySelector("canvas");
    this.title = section.querySelector("h2"); this.legend = section.querySelector(".legend");
    this.still = document.createElement("canvas");
    this.series = []; this.isStale = true; this.note = "";
    const told = (event, deed) => {
      if (!hand[deed]) return;
      const box = this.canvas.getBoundingClientRect();
      const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
      hand[deed](clock.from + Math.min(1, Math.max(0, share)) * (clock.to - clock.from), event.buttons > 0);
    };
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId); told(event, "press");
    });
    this.canvas.addEventListener("pointermove", (event) => told(event, "move"));
    this.canvas.addEventListener("pointerup", (event) => told(event, "release"));
    this.canvas.addEventListener("pointerleave", (event) => told(event, "leave"));
  }

  // series: label, values, the times of each value, perhaps a colour
  show(title, unit, series, note = "") {
    const words = document.createElement("span");
    words.textContent = unit ? ` [${unit}]` : "";
    this.title.replaceChildren(title, words);
    const shade = shades(series.length);
    this.series = series.map((each, k) => ({ color: shade(k), isOff: false, ...each }));
    this.note = note;
    this.section.hidden = !this.series.length && !note; // nothing is no panel
    this.legend.replaceChildren(...this.series.map((each) => this.legendItem(each)));
    this.countTheRest();
    this.isStale = true;
  }

  legendItem(each) {
    const item = document.createElement("span"), line = document.createElement("i");
    line.style.background = each.color;
    item.append(line, document.createElement("b"), each.label);
    item.title = "hide or show";
    item.addEventListener("click", () => {
      each.isOff = !each.isOff; item.classList.toggle("off", each.isOff);
      this.isStale = true; this.draw();
    });
    return item;
  }

  // what there is no room for is counted
  countTheRest() {
    const rest = document.createElement("span");
    let shown = this.legend.children.length;
    const count = () => {
      rest.textContent = `+${this.series.length - shown}`;
      if (shown < this.series.length) this.legend.append(rest);
    };
    while (shown > 1 && this.legend.scrollHeight > this.legend.clientHeight + 1) {
      rest.remove();
      this.legend.children[--shown].remove();
      count();
    }
  }

  // the part of a curve that is seen, with the values next to it on both sides
  part(each) {
    const { from, to } = this.clock, first = logic.frameAt(each.times, from);
    return [first, Math.min(each.values.length, logic.frameAt(each.times, to) + 2)];
  }

  drawStill(width, height, dense) {
    this.still.width = Math.round(width * dense); this.still.height = Math.round(height * dense);
    const on = this.still.getContext("2d"), { from, to } = this.clock;
    on.scale(dense, dense); on.lineJoin = "round"; on.font = `11px ${paint.font}`;
    const seen = this.series.filter((each) => !each.isOff);
    [this.low, this.high] = logic.range(seen.map((each) => each.values.subarray(...this.part(each))));
    const x = (time) => margin.left + ((time - from) / (to - from || 1)) * (width - margin.left - margin.right);
    const y = (value) => height - margin.bottom
      - ((value - this.low) / (this.high - this.low)) * (height - margin.top - margin.bottom);
    this.x = x; this.y = y;
    this.drawAxes(on, width, height);
    on.beginPath(); on.rect(margin.left, 0, width - margin.left - margin.right, height); on.clip();
    for (const each of seen) this.line(on, each, x, y, width);
  }

  drawAxes(on, width, height) {
    const { from, to } = this.clock, { x, y } = this;
    const up = logic.niceStep(this.high - this.low, Math.max(2, height / 34));
    const along = logic.niceStep(to - from || 1, Math.max(2, width / 70));
    on.strokeStyle = paint.line; on.fillStyle = paint.quiet; on.lineWidth = 1;
    on.textAlign = "right"; on.textBaseline = "middle"; on.beginPath();
    for (let value = Math.ceil(this.low / up - 1e-9) * up; value <= this.high; value += up) {
      on.moveTo(margin.left, y(value)); on.lineTo(width - margin.right, y(value));
      const words = `${+value.toPrecision(4)}`;
      on.fillText((words === "-0" ? "0" : words).replace("-", "\u2212"), margin.left - 6, y(value));
    }
    on.textAlign = "center"; on.textBaseline = "alphabetic";
    for (let time = Math.ceil(from / along - 1e-9) * along; time <= to + 1e-9; time += along)
      on.fillText(`${+time.toFixed(3)} s`, Math.min(width - 14, x(time)), height - 4);
    on.stroke();
  }

  // one stroke to the lowest and the highest value of each pixel column: nothing short is lost
  line(on, { times, values, color }, x, y, width) {
    on.strokeStyle = color; on.lineWidth = 1.5; on.beginPath();
    const [first, last] = this.part({ times, values });
    const step = Math.max(1, Math.floor((last - first) / (2 * width)));
    let isDown = false;
    for (let k = first; k < last; k += step) {
      let low = Infinity, high = -Infinity;
      for (let i = k; i < Math.min(last, k + step); i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
      if (low > high) { isDown = false; continue; }
      if (isDown) on.lineTo(x(times[k]), y(high)); else on.moveTo(x(times[k]), y(high));
      if (low < high) on.lineTo(x(times[k]), y(low));
      isDown = true;
    }
    on.stroke();
  }

  draw() {
    if (this.section.hidden) return;
    const { on, width, height } = canvasOf(this.canvas), dense = window.devicePixelRatio || 1;
    if (this.isStale || this.still.width !== this.canvas.width || this.still.height !== this.canvas.height)
      this.drawStill(width, height, dense);
    this.isStale = false;
    on.drawImage(this.still, 0, 0, width, height);
    if (!this.series.length) {
      on.fillStyle = paint.quiet; on.font = `12px ${paint.font}`; on.textAlign = "center";
      on.fillText(this.note || "nothing to show", width / 2, height / 2 - 6);
      return;
    }
    this.drawChosen(on, height);
    this.drawCursor(on, height);
  }

  // the span that is being chosen
  drawChosen(on, height) {
    const { chosen } = this.clock;
    if (!chosen) return;
    const [left, right] = [Math.min(...chosen), Math.max(...chosen)].map(this.x);
    on.globalAlpha = 0.15; on.fillStyle = paint.accent;
    on.fillRect(left, margin.top, right - left, height - margin.top - margin.bottom);
    on.globalAlpha = 1;
  }

  drawCursor(on, height) {
    const { time } = this.clock, at = this.x(time), isThere = Number.isFinite(time);
    if (isThere) {
      on.strokeStyle = paint.accent; on.lineWidth = 1.2; on.beginPath();
      on.moveTo(at, margin.top); on.lineTo(at, height - margin.bottom); on.stroke();
    }
    const numbers = this.legend.querySelectorAll("b");
    this.series.forEach(({ times, values, color, isOff }, k) => {
      const value = values[logic.frameAt(times, time)], isValue = isThere && Number.isFinite(value);
      if (isValue && !isOff) { on.beginPath(); on.arc(at, this.y(value), 3, 0, 7); on.fillStyle = color; on.fill(); }
      if (numbers[k]) numbers[k].textContent = isValue ? `${value.toFixed(2)} ` : "\u2013 ";
    });
  }
}
