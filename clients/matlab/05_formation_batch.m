% Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.
RESET = 14; LAYOUT = 10; STEP = 11; CLAIM = 13; POSE = 10;
robots = {'robot1', 'robot2', 'robot3'};
sim = Coopsim();
sim.ask('/sim/world', RESET);
lengths = sim.ask('/sim/step', LAYOUT);
sim.ask('/sim/step', CLAIM, [], robots);
for step = 0:59
  turn = 0.25;
  if mod(step, 80) >= 40
    turn = -0.25;
  end
  readings = sim.ask('/sim/step', STEP, [0.25 turn 0.3125 turn 0.375 turn], [{uint8(0)}, robots]);
end
fprintf('%d readings a step, %.0f of each robot\n', numel(readings), lengths(2));
for k = 1:3
  pose = sim.ask(['/' robots{k} '/odometry'], POSE);
  fprintf('%s: x %.3f m, y %.3f m\n', robots{k}, pose(1:2));
end
sim.close();
