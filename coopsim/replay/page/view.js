(() => {
  const $ = (id) => document.getElementById(id);
  const scene = JSON.parse($("recording").textContent);
  scene.times = logic.decode(scene.times, Float64Array);
  scene.ticks = logic.decode(scene.ticks, Float64Array);
  scene.poses = logic.decode(scene.poses, Float32Array);
  for (const robot of scene.robots) robot.table = logic.decode(robot.table, Float32Array);
  const begin = scene.times[0] ?? 0, end = scene.times[scene.times.length - 1] ?? 0;
  const byName = new Map(scene.entities.map((entity) => [entity.name, entity]));
  const now = { time: begin, playing: false, speed: 1, robot: scene.robots[0]?.name ?? "", reading: "" };
  const camera = { x: 0, y: 0, scale: 50, isFitted: true };
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
    for (const name of ["ink", "quiet", "paper", "line", "floor", "grid", "wall", "accent"])
      paint[name] = style.getPropertyValue(`--${name}`).trim();
    paint.font = getComputedStyle(document.body).fontFamily;
  }

  const rgb = (color, alpha = 1, light = 1) =>
    `rgba(${color.map((c) => Math.round(255 * Math.min(1, c * light))).join(",")},${alpha})`;
  const shades = (count) => (k) => count <= 8
    ? ["#3b7dd8", "#e4652a", "#31a354", "#8c5fd0", "#d64a6e", "#17a2a2", "#b08a1e", "#7a7f8a"][k]
    : `hsl(${Math.round(215 + (305 * k) / count) % 360} 62% 52%)`;

  // ---- top view

  function fit() {
    const xs = [], ys = [];
    for (const entity of scene.entities) {
      if (entity.kind === "floor") continue;
      const reach = entity.kind === "target" ? 0.5 : Math.hypot(entity.size[0], entity.size[1]) / 2;
      const long = Math.abs(Math.cos(entity.pose[2])) * entity.size[0] + Math.abs(Math.sin(entity.pose[2])) * entity.size[1];
      const wide = Math.abs(Math.sin(entity.pose[2])) * entity.size[0] + Math.abs(Math.cos(entity.pose[2])) * entity.size[1];
      const [rx, ry] = entity.row < 0 && entity.kind !== "target" ? [long / 2, wide / 2] : [reach, reach];
      xs.push(entity.pose[0] - rx, entity.pose[0] + rx);
      ys.push(entity.pose[1] - ry, entity.pose[1] + ry);
    }
    for (let k = 0; k < scene.poses.length; k += 3) {
      if (Number.isNaN(scene.poses[k])) continue;
      xs.push(scene.poses[k]); ys.push(scene.poses[k + 1]);
    }
    const least = (all) => all.reduce((a, b) => Math.min(a, b), Infinity);
    const most = (all) => all.reduce((a, b) => Math.max(a, b), -Infinity);
    const floor = scene.entities.find((entity) => entity.kind === "floor");
    const [low, high] = xs.length ? [[least(xs), least(ys)], [most(xs), most(ys)]]
      : [[-floor.size[0] / 2, -floor.size[1] / 2], [floor.size[0] / 2, floor.size[1] / 2]];
    const box = $("view").getBoundingClientRect();
    camera.x = (low[0] + high[0]) / 2; camera.y = (low[1] + high[1]) / 2;
    camera.scale = Math.min(box.width / (high[0] - low[0] + 0.6), (box.height - 84) / (high[1] - low[1] + 0.6));
    camera.isFitted = true;
  }

  function drawView() {
    const { on, width, height } = canvasOf($("view")), frame = logic.frameAt(scene.times, now.time);
    on.save();
    on.translate(width / 2, height / 2);
    on.scale(camera.scale, -camera.scale);
    on.translate(-camera.x, -camera.y);
    const px = 1 / camera.scale;
    drawFloor(on, px, width, height, frame);
    const there = scene.entities.filter((entity) => logic.isThere(entity, frame));
    for (const entity of there) if (entity.kind === "target") drawTarget(on, entity, px);
    if ($("paths").checked) for (const entity of there) if (entity.row >= 0) drawPath(on, entity, frame, px);
    for (const entity of there) if (entity.kind === "object") drawSolid(on, entity, px);
    if ($("rays").checked) for (const robot of scene.robots) drawRays(on, robot, frame, px);
    for (const entity of there) if (entity.kind === "robot") drawRobot(on, entity, px);
    on.restore();
    if ($("names").checked) for (const entity of there) drawName(on, entity, width, height);
    drawRuler(on, height);
  }

  function drawFloor(on, px, width, height, frame) {
    const floor = scene.entities.find((entity) => entity.kind === "floor" && logic.isThere(entity, frame));
    if (!floor) return;
    const [long, wide] = floor.size;
    on.fillStyle = paint.floor;
    on.fillRect(-long / 2, -wide / 2, long, wide);
    const step = logic.niceStep(Math.max(width, height) * px, 24), x0 = camera.x - (width / 2) * px;
    on.strokeStyle = paint.grid; on.lineWidth = px; on.beginPath();
    const inside = (low, high, at) => Math.min(high, Math.max(low, at));
    const [left, right] = [x0, x0 + width * px].map((x) => inside(-long / 2, long / 2, x));
    const [low, high] = [-0.5, 0.5].map((k) => inside(-wide / 2, wide / 2, camera.y + k * height * px));
    for (let x = Math.ceil(left / step) * step; x <= right; x += step) { on.moveTo(x, low); on.lineTo(x, high); }
    for (let y = Math.ceil(low / step) * step; y <= high; y += step) { on.moveTo(left, y); on.lineTo(right, y); }
    on.stroke();
  }

  function drawTarget(on, entity, px) {
    const [x, y] = entity.pose, circle = (radius) => { on.beginPath(); on.arc(x, y, radius, 0, 7); };
    for (const [radius, alpha] of [[26, 0.1], [18, 0.16]]) {
      circle(radius * px); on.fillStyle = rgb(entity.color, alpha); on.fill();
    }
    circle(11 * px); on.fillStyle = paint.paper; on.fill();
    on.strokeStyle = rgb(entity.color); on.lineWidth = 3 * px; on.stroke();
    circle(4.5 * px); on.fillStyle = rgb(entity.color); on.fill();
  }

  function drawPath(on, entity, frame, px) {
    const { poses, moving } = scene;
    on.beginPath();
    let last = null;
    for (let k = 0; k <= frame; k++) {
      const at = 3 * (k * moving + entity.row), x = poses[at], y = poses[at + 1];
      if (Number.isNaN(x)) { last = null; continue; }
      if (last === null || Math.hypot(x - last[0], y - last[1]) > 1) on.moveTo(x, y);
      else if (Math.hypot(x - last[0], y - last[1]) < 1.5 * px && k < frame) continue;
      else on.lineTo(x, y);
      last = [x, y];
    }
    const pose = logic.poseAt(scene, entity.row, now.time);
    if (pose && last && Math.hypot(pose[0] - last[0], pose[1] - last[1]) < 1) on.lineTo(pose[0], pose[1]);
    on.strokeStyle = rgb(entity.color, entity.kind === "robot" ? 0.75 : 0.5);
    on.lineWidth = (entity.kind === "robot" ? 2.5 : 1.5) * px;
    on.stroke();
  }

  function outline(on, entity) {
    const [long, wide] = entity.size;
    on.beginPath();
    if (entity.shape === "box") on.rect(-long / 2, -wide / 2, long, wide);
    else on.ellipse(0, 0, long / 2, wide / 2, 0, 0, 7);
  }

  function drawSolid(on, entity, px) {
    const pose = entity.row < 0 ? entity.pose : logic.poseAt(scene, entity.row, now.time);
    if (!pose) return;
    on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]);
    outline(on, entity);
    const isWall = entity.row < 0 && entity.shape === "box" && /^wall/.test(entity.name);
    on.fillStyle = isWall ? paint.wall : rgb(entity.color, 0.92); on.fill();
    if (!isWall) { on.strokeStyle = rgb(entity.color, 1, 0.6); on.lineWidth = 1.5 * px; on.stroke(); }
    on.restore();
  }

  function drawRays(on, robot, frame, px) {
    const entity = byName.get(robot.name);
    if (!robot.rays || !robot.table.length || !entity || !logic.isThere(entity, frame)) return;
    const pose = logic.poseAt(scene, entity.row, now.time);
    if (!pose) return;
    const { column, bearings, radius, reach } = robot.rays, at = frame * robot.width + column;
    const isChosen = robot.name === now.robot;
    on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]);
    on.beginPath(); on.moveTo(0, 0);
    bearings.forEach((angle, k) => {
      const far = radius + robot.table[at + k];
      on.lineTo(far * Math.cos(angle), far * Math.sin(angle));
    });
    on.closePath();
    on.fillStyle = rgb(entity.color, isChosen ? 0.13 : 0.06); on.fill();
    on.beginPath();
    bearings.forEach((angle, k) => {
      const range = robot.table[at + k], cos = Math.cos(angle), sin = Math.sin(angle);
      on.moveTo(radius * cos, radius * sin); on.lineTo((radius + range) * cos, (radius + range) * sin);
    });
    on.strokeStyle = rgb(entity.color, isChosen ? 0.4 : 0.18); on.lineWidth = px; on.stroke();
    bearings.forEach((angle, k) => {
      const range = robot.table[at + k];
      if (range > 0.98 * reach) return;
      on.beginPath();
      on.arc((radius + range) * Math.cos(angle), (radius + range) * Math.sin(angle), 2.5 * px, 0, 7);
      on.fillStyle = rgb(entity.color, isChosen ? 0.9 : 0.4); on.fill();
    });
    on.restore();
  }

  function drawRobot(on, entity, px) {
    const pose = logic.poseAt(scene, entity.row, now.time);
    if (!pose) return;
    on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]);
    outline(on, entity);
    on.fillStyle = rgb(entity.color); on.fill();
    on.strokeStyle = rgb(entity.color, 1, 0.6); on.lineWidth = 2 * px; on.stroke();
    on.beginPath(); on.moveTo(0, 0); on.lineTo(entity.size[0] / 2, 0); on.lineWidth = 3 * px; on.stroke();
    if (entity.name === now.robot) {
      on.beginPath(); on.arc(0, 0, Math.hypot(entity.size[0], entity.size[1]) / 2.6 + 6 * px, 0, 7);
      on.strokeStyle = paint.accent; on.lineWidth = 1.5 * px; on.setLineDash([4 * px, 4 * px]); on.stroke();
    }
    on.restore();
  }

  const toPixel = (x, y, width, height) =>
    [width / 2 + (x - camera.x) * camera.scale, height / 2 - (y - camera.y) * camera.scale];

  function drawName(on, entity, width, height) {
    if (entity.kind !== "robot" && entity.kind !== "target") return;
    const pose = entity.row < 0 ? entity.pose : logic.poseAt(scene, entity.row, now.time);
    if (!pose || scene.robots.length > 60) return;
    const [x, y] = toPixel(pose[0], pose[1], width, height);
    const above = entity.kind === "target" ? 32 : (entity.size[0] / 2) * camera.scale + 9;
    on.font = `12px ${paint.font}`; on.textAlign = "center";
    on.lineWidth = 4; on.strokeStyle = paint.floor; on.strokeText(entity.name, x, y - above);
    on.fillStyle = entity.name === now.robot ? paint.accent : paint.ink; on.fillText(entity.name, x, y - above);
  }

  function drawRuler(on, height) {
    const step = logic.niceStep(150 / camera.scale, 1.6), long = step * camera.scale, y = height - 34;
    on.strokeStyle = paint.ink; on.lineWidth = 1.5; on.beginPath();
    on.moveTo(14, y - 5); on.lineTo(14, y + 5); on.moveTo(14, y); on.lineTo(14 + long, y);
    on.moveTo(14 + long, y - 5); on.lineTo(14 + long, y + 5); on.stroke();
    on.font = `12px ${paint.font}`; on.textAlign = "left"; on.fillStyle = paint.ink;
    on.fillText(`${+step.toPrecision(3)} m`, 22 + long, y + 4);
  }

  // ---- plots over time

  const margin = { left: 44, right: 8, top: 6, bottom: 18 };

  class Plot {
    constructor(section) {
      this.canvas = section.querySelector("canvas");
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
      this.legend.replaceChildren(...this.series.slice(0, 16).map(({ label, color }) => {
        const item = document.createElement("span"), line = document.createElement("i");
        line.style.background = color;
        item.append(line, document.createElement("b"), label);
        return item;
      }));
      this.isStale = true;
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

  // ---- time

  function seek(time) {
    now.time = Math.min(end, Math.max(begin, time));
    draw();
  }

  function step(count) {
    pause();
    const frame = logic.frameAt(scene.times, now.time) + count;
    seek(scene.times[Math.min(scene.times.length - 1, Math.max(0, frame))]);
  }

  const icons = {
    play: '<svg viewBox="0 0 16 16"><path d="M4 2.5v11L13 8z"/></svg>',
    pause: '<svg viewBox="0 0 16 16"><path d="M4.5 3v10M11.5 3v10" stroke-width="3.2"/></svg>',
  };

  function showPlaying() {
    $("play").innerHTML = now.playing ? icons.pause : icons.play;
    $("play").setAttribute("aria-label", now.playing ? "pause" : "play");
  }

  function pause() { now.playing = false; showPlaying(); }

  function play() {
    if (now.time >= end) now.time = begin;
    now.playing = true; now.last = performance.now(); showPlaying();
    requestAnimationFrame(advance);
  }

  function advance(clock) {
    if (!now.playing) return;
    now.time += Math.max(0, (clock - now.last) / 1000) * now.speed; now.last = clock;
    if (now.time >= end) {
      if ($("loop").checked && end > begin) now.time = begin; else { now.time = end; pause(); }
    }
    draw();
    requestAnimationFrame(advance);
  }

  function scrollTo(item) {
    const list = $("messages").querySelector("ol");
    if (!item) list.scrollTop = 0;
    else {
      const top = item.offsetTop - list.offsetTop, bottom = top + item.offsetHeight;
      list.scrollTop = Math.min(top, Math.max(list.scrollTop, bottom - list.clientHeight));
    }
  }

  function draw() {
    drawView(); distancePlot.draw(); readingPlot.draw();
    const frame = logic.frameAt(scene.times, now.time);
    $("now").textContent = logic.seconds(now.time); $("now").title = `tick ${scene.ticks[frame] ?? 0}`;
    $("scrub").value = now.time;
    $("scrub").style.setProperty("--done", `${((now.time - begin) / (end - begin || 1)) * 100}%`);
    const items = $("messages").querySelectorAll("li");
    let last = -1;
    scene.messages.forEach((message, k) => {
      const isPast = message.time <= now.time + 1e-9;
      if (isPast) last = k;
      items[k].classList.toggle("past", isPast);
    });
    items.forEach((item, k) => item.classList.toggle("last", k === last));
    if (last !== now.message) { now.message = last; scrollTo(items[last]); }
  }

  // ---- the page

  function build() {
    $("title").textContent = scene.title;
    $("chips").replaceChildren(...scene.about.map(([name, value]) => {
      const chip = document.createElement("span"), bold = document.createElement("b");
      bold.textContent = value; chip.append(`${name} `, bold);
      return chip;
    }));
    $("robot").replaceChildren(...scene.robots.map((robot) => new Option(robot.name)));
    $("speed").replaceChildren(...[0.1, 0.25, 0.5, 1, 2, 4, 8, 16].map((speed) => new Option(`\u00d7${speed}`, speed)));
    $("speed").value = 1;
    $("scrub").min = begin; $("scrub").max = end; $("end").textContent = logic.seconds(end);
    $("messages").querySelector("ol").replaceChildren(...scene.messages.map((message) => {
      const item = document.createElement("li"), time = document.createElement("time");
      const words = document.createElement("span");
      time.textContent = logic.seconds(message.time); words.textContent = message.text;
      item.append(time, words); item.title = `tick ${message.tick}`;
      item.addEventListener("click", () => seek(message.time));
      return item;
    }));
    $("marks").replaceChildren(...scene.messages.slice(0, 500).map((message) => {
      const mark = document.createElement("i");
      const share = (message.time - begin) / (end - begin || 1);
      mark.style.left = `calc(8px + (100% - 16px) * ${share})`;
      return mark;
    }));
  }

  function listen() {
    $("play").addEventListener("click", () => (now.playing ? pause() : play()));
    $("back").addEventListener("click", () => step(-1));
    $("forward").addEventListener("click", () => step(1));
    $("scrub").addEventListener("input", () => seek(+$("scrub").value));
    $("speed").addEventListener("change", () => { now.speed = +$("speed").value; });
    $("robot").addEventListener("change", () => chooseRobot($("robot").value));
    $("reading").addEventListener("change", () => chooseReading($("reading").value));
    for (const id of ["paths", "rays", "names"]) $(id).addEventListener("change", draw);
    $("fit").addEventListener("click", () => { fit(); draw(); });
    document.addEventListener("keydown", (event) => {
      if (/^(SELECT|TEXTAREA)$/.test(event.target.tagName) || event.ctrlKey || event.metaKey || event.altKey) return;
      const keys = {
        " ": () => (now.playing ? pause() : play()), ArrowLeft: () => step(-1), ArrowRight: () => step(1),
        Home: () => seek(begin), End: () => seek(end), f: () => { fit(); draw(); },
      };
      if (event.key in keys) { event.preventDefault(); keys[event.key](); }
    });
    listenToView();
    new ResizeObserver(() => { if (camera.isFitted) fit(); draw(); }).observe($("view"));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
      readColors(); distancePlot.isStale = readingPlot.isStale = true; draw();
    });
    addEventListener("hashchange", () => { obeyAddress(); draw(); });
  }

  function listenToView() {
    const view = $("view");
    let from = null, moved = 0;
    const place = (event) => {
      const box = view.getBoundingClientRect();
      return [camera.x + (event.clientX - box.left - box.width / 2) / camera.scale,
        camera.y - (event.clientY - box.top - box.height / 2) / camera.scale];
    };
    view.addEventListener("pointerdown", (event) => {
      view.setPointerCapture(event.pointerId); from = [event.clientX, event.clientY]; moved = 0;
    });
    view.addEventListener("pointermove", (event) => {
      const [x, y] = place(event);
      $("pointer").textContent = `${x.toFixed(2)}, ${y.toFixed(2)} m`;
      if (!from || !event.buttons) return;
      const [dx, dy] = [event.clientX - from[0], event.clientY - from[1]];
      moved += Math.hypot(dx, dy); from = [event.clientX, event.clientY];
      camera.x -= dx / camera.scale; camera.y += dy / camera.scale; camera.isFitted = false;
      draw();
    });
    view.addEventListener("pointerup", (event) => {
      from = null;
      if (moved > 4) return;
      const [x, y] = place(event);
      const hit = scene.robots.find((robot) => {
        const entity = byName.get(robot.name), pose = logic.poseAt(scene, entity.row, now.time);
        return pose && Math.hypot(pose[0] - x, pose[1] - y) < Math.max(entity.size[0], entity.size[1]) / 2 + 0.05;
      });
      if (hit) { chooseRobot(hit.name); draw(); }
    });
    view.addEventListener("wheel", (event) => {
      event.preventDefault();
      const [x, y] = place(event), factor = Math.exp(-event.deltaY * 0.0015);
      camera.scale = Math.min(2000, Math.max(2, camera.scale * factor));
      const [x2, y2] = place(event);
      camera.x += x - x2; camera.y += y - y2; camera.isFitted = false;
      draw();
    }, { passive: false });
  }

  // page.html#t=12.5&robot=robot2&reading=motors.v&speed=2&play=1
  function obeyAddress() {
    const asked = new URLSearchParams(location.hash.slice(1)), number = (name) => Number.parseFloat(asked.get(name));
    if (asked.has("reading")) now.reading = asked.get("reading");
    const robot = asked.get("robot");
    chooseRobot(scene.robots.some((each) => each.name === robot) ? robot : now.robot);
    if (number("speed") > 0) { now.speed = number("speed"); $("speed").value = now.speed; }
    if (Number.isFinite(number("t"))) seek(number("t"));
    if (asked.get("play") === "1" && !now.playing) play();
  }

  readColors(); build(); showPlaying(); fit(); obeyAddress(); listen(); draw();
  window.coopsim = { scene, now, seek, play, pause, logic };
})();
