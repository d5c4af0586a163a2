% Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.
PAUSE = 13; SEEK = 14; POSE = 10; SET_VELOCITY = 10;
sim = Coopsim();
sim.ask('/sim/playback', PAUSE);
for moment = [1.0 2.0 0.5]
  shown = sim.ask('/sim/playback', SEEK, moment);
  pose = sim.ask('/robot1/odometry', POSE);
  fprintf('%.2f s: x %.3f m, y %.3f m\n', shown, pose(1:2));
end
try
  sim.ask('/robot1/motors', SET_VELOCITY, [0.3 0]);
catch problem
  fprintf('refused with %d\n', sscanf(problem.message, '/robot1/motors: error %d'));
end
