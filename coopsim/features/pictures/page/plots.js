// ---- the plots of a recording

const clock = { from: begin, to: end, get time() { return now.time; } };
const scrubbing = {
  press: (time) => { pause(); seek(time); },
  move: (time, isPressed) => { if (isPressed) seek(time); },
};
const [distancePlot, readingPlot] = ["plot-distance", "plot-reading"].map((id) => new Plot($(id), clock, scrubbing));

function chooseRobot(name) {
  now.robot = name; $("robot").value = name;
  const robot = scene.robots.find((each) => each.name === name), own = byName.get(name);
  const others = scene.entities.filter((each) => each.kind === "robot" && each.name !== name).slice(0, 16);
  distancePlot.show(`distance of ${name || "robots"} to others`, "m", !own ? [] : others.map((other) => (
    { label: other.name, color: rgb(other.color), times: scene.times,
      values: logic.distances(scene, own.row, other.row) })), scene.note);
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
      { label, times: scene.times, values: logic.column(robot.table, robot.width, reading.column + k) })), scene.note);
  draw();
}
