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
window.coopsim = { scene, now, seek, play, pause, logic, plots: [distancePlot, readingPlot] };
