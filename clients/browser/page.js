// Draws the scene from above with a robot's sonars, and drives it with the arrow keys.
"use strict";

const [SCENE, SUBSCRIBE, RANGES, SET_VELOCITY, STOP, PARAMETER] = [21, 11, 10, 10, 12, 2];
const [SPEED, TURN, FIRST_NAME] = [0.4, 1.0, 8];
const SPAN = 12; // m, width of what is shown
const element = (id) => document.getElementById(id);
const canvas = element("scene");
const shown = { entities: [], poses: new Map(), ranges: [], sector: 0, states: 0, time: 0 };
let sim = null;

function complain(problem) {
  element("problem").textContent = problem?.message ?? "";
}

async function start() {
  complain();
  try {
    sim = await coopsim.connect(element("address").value);
    const scene = await sim.ask("/sim/world", SCENE);
    shown.entities = JSON.parse(scene.params[0]).entities.filter(({ kind }) => kind !== "floor");
    const robot = element("robot").value;
    const sector = await sim.ask(`/${robot}/sonars`, PARAMETER, ["sector"]);
    shown.sector = (sector.params[0] * Math.PI) / 180;
    sim.onstate = take;
    sim.onclose = () => complain(new Error("the simulation is gone"));
    await sim.ask("/sim/info", SUBSCRIBE, ["/sim/state@5"]);
  } catch (problem) {
    complain(problem);
  }
}

/** Keep where the bodies of a state are, and ask for the distances that the robot sees now. */
async function take({ params, data }) {
  const names = params.slice(FIRST_NAME, FIRST_NAME + params[6]);
  names.forEach((name, place) => {
    const [x, y, , w, , , z] = data.slice(1 + 7 * place, 8 + 7 * place);
    shown.poses.set(name, { x, y, heading: 2 * Math.atan2(z, w) });
  });
  shown.time = data[0];
  shown.states += 1;
  try {
    shown.ranges = (await sim.ask(`/${element("robot").value}/sonars`, RANGES)).data;
  } catch (problem) {
    complain(problem);
  }
}

function draw() {
  const pen = canvas.getContext("2d");
  pen.setTransform(1, 0, 0, 1, 0, 0);
  pen.clearRect(0, 0, canvas.width, canvas.height);
  const scale = canvas.width / SPAN;
  pen.setTransform(scale, 0, 0, -scale, canvas.width / 2, canvas.height / 2);
  pen.lineWidth = 1 / scale;
  for (const entity of shown.entities) drawEntity(pen, entity);
  drawSonars(pen, shown.poses.get(element("robot").value));
  element("status").textContent = sim ? `${shown.time.toFixed(1)} s` : "not connected";
  requestAnimationFrame(draw);
}

function drawEntity(pen, { name, kind, type, pose, size, color }) {
  const [x, y, , w, , , z] = pose;
  const at = shown.poses.get(name) ?? { x, y, heading: 2 * Math.atan2(z, w) };
  pen.save();
  pen.translate(at.x, at.y);
  pen.rotate(at.heading);
  pen.fillStyle = `rgb(${color.map((part) => Math.round(255 * part)).join(" ")})`;
  pen.beginPath();
  if (kind === "robot" || type === "cylinder") pen.arc(0, 0, size[0] / 2, 0, 2 * Math.PI);
  else pen.rect(-size[0] / 2, -size[1] / 2, size[0], size[1]);
  pen.fill();
  if (kind === "robot") {
    pen.moveTo(0, 0);
    pen.lineTo(size[0] / 2, 0);
    pen.stroke();
  }
  pen.restore();
}

/** Distances go from right to left. */
function drawSonars(pen, pose) {
  if (!pose) return;
  const last = Math.max(1, shown.ranges.length - 1);
  pen.strokeStyle = "#08c";
  shown.ranges.forEach((distance, place) => {
    const angle = pose.heading + shown.sector * (place / last - 0.5);
    pen.beginPath();
    pen.moveTo(pose.x, pose.y);
    pen.lineTo(pose.x + distance * Math.cos(angle), pose.y + distance * Math.sin(angle));
    pen.stroke();
  });
}

const KEYS = { ArrowUp: [SPEED, 0], ArrowDown: [-SPEED, 0], ArrowLeft: [0, TURN], ArrowRight: [0, -TURN], " ": null };
document.addEventListener("keydown", (event) => {
  if (!sim || !(event.key in KEYS) || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  const [command, data] = KEYS[event.key] ? [SET_VELOCITY, KEYS[event.key]] : [STOP, []];
  sim.ask(`/${element("robot").value}/motors`, command, [], data).catch(complain);
});
element("connect").addEventListener("click", start);
element("address").value = new URLSearchParams(location.search).get("address") ?? "127.0.0.1:5573";
window.shown = shown;
draw();
