// ---- plots over time

const margin = { left: 44, right: 8, top: 6, bottom: 18 };

class Plot {
  constructor(section) {
    this.section = section; this.canvas = section.querySelector("canvas");
    this.title = section.querySelector("h2"); this.legend = section.querySelector(".legend");
    this.still = document.createElement("canvas");
    this.series = []; this.isStale = true;
    this.canvas.addEventListener("pointerdown", (event) => {
      this.canvas.setPointerCapture(event.pointerId); pause(); this.seekTo(event);
    });
    this.canvas.addEventListener("pointermove", (event) => { if (event.buttons) this.seekTo(event); });
  }

  show(title, unit, series) {
    const words = document.createElement("span");
    words.textContent = unit ? ` [${unit}]` : "";
    this.title.replaceChildren(title, words);
    const shade = shades(series.length);
    this.series = series.map((each, k) => ({ color: shade(k), ...each }));
    this.section.hidden = !this.series.length && !scene.note; // nothing is no panel
    this.legend.replaceChildren(...this.series.slice(0, 16).map(({ label, color }) => {
      const item = document.createElement("span"), line = document.createElement("i");
      line.style.background = color;
      item.append(line, document.createElement("b"), label);
      return item;
    }));
    this.countTheRest();
    this.isStale = true;
  }

  // what there is no room for is counted
  countTheRest() {
    const rest = document.createElement("span");
    let shown = this.legend.children.length;
    const count = () => {
      rest.textContent = `+${this.series.length - shown}`;
      if (shown < this.series.length) this.legend.append(rest);
    };
    count();
    while (shown > 1 && this.legend.scrollHeight > this.legend.clientHeight + 1) {
      this.legend.children[--shown].remove();
      count();
    }
  }

  seekTo(event) {
    const box = this.canvas.getBoundingClientRect();
    const share = (event.clientX - box.left - margin.left) / (box.width - margin.left - margin.right);
    seek(begin + Math.min(1, Math.max(0, share)) * (end - begin));
  }

  drawStill(width, height, dense) {
    this.still.width = Math.round(width * dense); this.still.height = Math.round(height * dense);
    const on = this.still.getContext("2d");
    on.scale(dense, dense); on.lineJoin = "round"; on.font = `11px ${paint.font}`;
    [this.low, this.high] = logic.range(this.series.map((each) => each.values));
    const x = (time) => margin.left + ((time - begin) / (end - begin || 1)) * (width - margin.left - margin.right);
    const y = (value) => height - margin.bottom
      - ((value - this.low) / (this.high - this.low)) * (height - margin.top - margin.bottom);
    this.x = x; this.y = y;
    const up = logic.niceStep(this.high - this.low, Math.max(2, height / 34));
    const along = logic.niceStep(end - begin || 1, Math.max(2, width / 70));
    on.strokeStyle = paint.line; on.fillStyle = paint.quiet; on.lineWidth = 1;
    on.textAlign = "right"; on.textBaseline = "middle"; on.beginPath();
    for (let value = Math.ceil(this.low / up - 1e-9) * up; value <= this.high; value += up) {
      on.moveTo(margin.left, y(value)); on.lineTo(width - margin.right, y(value));
      on.fillText(`${+value.toPrecision(4)}`.replace("-0", "0").replace("-", "\u2212"), margin.left - 6, y(value));
    }
    on.textAlign = "center"; on.textBaseline = "alphabetic";
    for (let time = Math.ceil(begin / along - 1e-9) * along; time <= end + 1e-9; time += along)
      on.fillText(`${+time.toFixed(3)} s`, Math.min(width - 14, x(time)), height - 4);
    on.stroke();
    for (const { values, color } of this.series) this.line(on, values, color, x, y, width);
  }

  // one stroke to the lowest and the highest value of each pixel column: nothing short is lost
  line(on, values, color, x, y, width) {
    on.strokeStyle = color; on.lineWidth = 1.5; on.beginPath();
    const each = Math.max(1, Math.floor(values.length / (2 * width)));
    let isDown = false;
    for (let k = 0; k < values.length; k += each) {
      let low = Infinity, high = -Infinity;
      for (let i = k; i < Math.min(values.length, k + each); i++) {
        if (values[i] < low) low = values[i];
        if (values[i] > high) high = values[i];
      }
      if (low > high) { isDown = false; continue; }
      if (isDown) on.lineTo(x(scene.times[k]), y(high)); else on.moveTo(x(scene.times[k]), y(high));
      if (low < high) on.lineTo(x(scene.times[k]), y(low));
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
      on.fillText(scene.note || "nothing to show", width / 2, height / 2 - 6);
      return;
    }
    const frame = logic.frameAt(scene.times, now.time), at = this.x(now.time);
    on.strokeStyle = paint.accent; on.lineWidth = 1.2; on.beginPath();
    on.moveTo(at, margin.top); on.lineTo(at, height - margin.bottom); on.stroke();
    const numbers = this.legend.querySelectorAll("b");
    this.series.forEach(({ values, color }, k) => {
      const value = values[frame], isValue = Number.isFinite(value);
      if (isValue) { on.beginPath(); on.arc(at, this.y(value), 3, 0, 7); on.fillStyle = color; on.fill(); }
      if (numbers[k]) numbers[k].textContent = isValue ? `${value.toFixed(2)} ` : "\u2013 ";
    });
  }
}

const distancePlot = new Plot($("plot-distance")), readingPlot = new Plot($("plot-reading"));

function chooseRobot(name) {
  now.robot = name; $("robot").value = name;
  const robot = scene.robots.find((each) => each.name === name), own = byName.get(name);
  const others = scene.entities.filter((each) => each.kind === "robot" && each.name !== name).slice(0, 16);
  distancePlot.show(`distance of ${name || "robots"} to others`, "m", !own ? [] : others.map((other) => (
    { label: other.name, color: rgb(other.color), values: logic.distances(scene, own.row, other.row) })));
  const names = (robot?.table.length ? robot.readings : []).map((each) => each.name);
  $("reading").replaceChildren(...names.map((each) => new Option(each)));
  const usual = names.find((each) => each.endsWith(".ranges")) ?? names[0] ?? "";
  chooseReading(names.includes(now.reading) ? now.reading : usual);
}

function chooseReading(name) {
  const robot = scene.robots.find((each) => each.name === now.robot);
  const reading = robot?.readings.find((each) => each.name === name);
  now.reading = name; $("reading").value = name;
  readingPlot.show(reading ? `${now.robot}.${name}` : "readings", reading && reading.unit !== "1" ? reading.unit : "",
    !reading ? [] : reading.labels.map((label, k) => (
      { label, values: logic.column(robot.table, robot.width, reading.column + k) })));
  draw();
}
