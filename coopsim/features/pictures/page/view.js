const scene = JSON.parse($("recording").textContent);
scene.times = logic.decode(scene.times, Float64Array);
scene.ticks = logic.decode(scene.ticks, Float64Array);
scene.poses = logic.decode(scene.poses, Float32Array);
for (const robot of scene.robots) robot.table = logic.decode(robot.table, Float32Array);
const begin = scene.times[0] ?? 0, end = scene.times[scene.times.length - 1] ?? 0;
const byName = new Map(scene.entities.map((entity) => [entity.name, entity]));
const now = { time: begin, playing: false, speed: 1, robot: scene.robots[0]?.name ?? "", reading: "" };
const camera = { x: 0, y: 0, scale: 50, isFitted: true };

const rgb = (color, alpha = 1, light = 1) =>
  `rgba(${logic.seen(color, paint.isDark).map((c) => Math.round(255 * Math.min(1, c * light))).join(",")},${alpha})`;
const unchosenRays = 0.5; // of the opacity of the rays of the chosen robot

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
  const areas = there.filter((entity) => entity.kind === "area").sort((a, b) => a.size[2] - b.size[2]);
  for (const entity of areas) drawEntity(on, entity, px);
  for (const entity of there) if (entity.kind === "target") drawEntity(on, entity, px);
  if ($("paths").checked) for (const entity of there) if (entity.row >= 0) drawPath(on, entity, frame, px);
  for (const entity of there) if (entity.kind === "object") drawEntity(on, entity, px);
  if ($("rays").checked) for (const robot of scene.robots) drawRays(on, robot, frame, px);
  for (const entity of there) if (entity.kind === "robot") drawEntity(on, entity, px);
  on.restore();
  drawCoordinates(on, width, height);
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

// x along the lower edge, y along the left one, wherever lines of the grid meet it
function drawCoordinates(on, width, height) {
  const step = logic.niceStep(Math.max(width, height) / camera.scale, 12), most = 1e4;
  on.font = `11px ${paint.font}`; on.fillStyle = paint.quiet; on.lineWidth = 3; on.strokeStyle = paint.floor;
  const write = (value, x, y) => {
    const words = `${+value.toPrecision(6)}`.replace("-", "\u2212");
    on.strokeText(words, x, y); on.fillText(words, x, y);
  };
  const left = camera.x - width / 2 / camera.scale, low = camera.y - height / 2 / camera.scale;
  on.textAlign = "center";
  for (let k = Math.ceil(left / step), n = 0; n < most; k++, n++) {
    const [x] = toPixel(k * step, 0, width, height);
    if (x > width - 24) break;
    if (x > 40) write(k * step, x, height - 6);
  }
  on.textAlign = "left";
  for (let k = Math.ceil(low / step), n = 0; n < most; k++, n++) {
    const [, y] = toPixel(0, k * step, width, height);
    if (y < 12) break;
    if (y < height - 60) write(k * step, 5, y + 4);
  }
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

// a colour of the drawing list: of the theme by its name, or red, green and blue
const painted = (color, alpha, light) => typeof color === "string" ? paint[color] : rgb(color, alpha, light);

// the colour of a lamp as it shines in a picture; null of what is none, or where readings were left out
function lightOf(name, frame) {
  const robot = scene.robots.find((candidate) => candidate.name === name);
  const light = robot && robot.lamp !== undefined && robot.table.length ? frame * robot.width + robot.lamp : -1;
  if (light < 0) return null;
  const [brightness, ...color] = robot.table.subarray(light, light + 4), share = drawing.unlit + (1 - drawing.unlit) * brightness;
  return color.map((channel) => share * channel);
}

// marks of the drawing list, in the frame of their body
function drawMarks(on, marks, px, light = null) {
  for (const mark of marks) {
    on.beginPath();
    if (mark.middle) on.arc(...mark.middle, mark.radius || mark.pixels * px, 0, 7);
    else for (const point of mark.points) on.lineTo(...point);
    if (!mark.arrow) on.closePath();
    if (mark.fill) { on.fillStyle = light ? rgb(light, mark.alpha) : painted(mark.fill, mark.alpha); on.fill(); }
    if (mark.edge) { on.strokeStyle = painted(mark.edge, 1, mark.light); on.lineWidth = mark.width * px; on.stroke(); }
  }
}

// further bodies, each in its own frame
function drawParts(on, entity, px) {
  for (const part of entity.parts) {
    const pose = logic.poseAt(scene, part.row, now.time);
    if (!pose) continue;
    on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]);
    drawMarks(on, part.marks, px);
    on.restore();
  }
}

function drawEntity(on, entity, px) {
  const pose = entity.row < 0 ? entity.pose : logic.poseAt(scene, entity.row, now.time);
  if (!pose) return;
  on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]);
  drawMarks(on, entity.marks, px, lightOf(entity.name, logic.frameAt(scene.times, now.time)));
  if (entity.kind === "robot" && entity.name === now.robot) drawChosen(on, entity, px);
  on.restore();
  drawParts(on, entity, px);
}

function drawChosen(on, entity, px) {
  on.beginPath(); on.arc(0, 0, Math.hypot(entity.size[0], entity.size[1]) / 2.6 + 6 * px, 0, 7);
  on.strokeStyle = paint.accent; on.lineWidth = 1.5 * px; on.setLineDash([4 * px, 4 * px]); on.stroke();
}

function drawRays(on, robot, frame, px) {
  const entity = byName.get(robot.name);
  if (!robot.rays || !robot.table.length || !entity || !logic.isThere(entity, frame)) return;
  const pose = logic.poseAt(scene, entity.row, now.time);
  if (!pose) return;
  const { column, bearings, radius, mount = [0, 0], reach } = robot.rays, at = frame * robot.width + column;
  const isChosen = robot.name === now.robot;
  on.save(); on.translate(pose[0], pose[1]); on.rotate(pose[2]); on.translate(mount[0], mount[1]);
  on.beginPath(); on.moveTo(0, 0);
  bearings.forEach((angle, k) => {
    const far = radius + robot.table[at + k];
    on.lineTo(far * Math.cos(angle), far * Math.sin(angle));
  });
  on.closePath();
  on.fillStyle = rgb(entity.color, isChosen ? 0.13 : 0.06); on.fill();
  bearings.forEach((angle, k) => {
    const range = robot.table[at + k], cos = Math.cos(angle), sin = Math.sin(angle), share = range / reach;
    const [red, green, blue, opacity] = drawing.rays[share < drawing.close ? 0 : share < drawing.free ? 1 : 2];
    const color = rgb([red, green, blue], opacity * (isChosen ? 1 : unchosenRays));
    on.beginPath(); on.moveTo(radius * cos, radius * sin); on.lineTo((radius + range) * cos, (radius + range) * sin);
    on.strokeStyle = color; on.lineWidth = px; on.stroke();
    if (share >= drawing.free) return;
    on.beginPath(); on.arc((radius + range) * cos, (radius + range) * sin, 2.5 * px, 0, 7);
    on.fillStyle = color; on.fill();
  });
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
