% Wanders without a collision: in lockstep each reading is of the step that the last command made.
RESET = 14; RANGES = 10; SET_VELOCITY = 10; POSE = 10;
sim = Coopsim();
sim.ask('/sim/world', RESET);
for step = 1:90
  ranges = sim.ask('/robot1/sonars', RANGES);
  middle = floor(numel(ranges) / 2) + 1;
  right = min(ranges(1:middle));
  left = min(ranges(middle:end));
  if min(ranges(middle - 1:middle + 1)) < 0.6  % turn to the side with more room
    command = [0, 0.8 - 1.6 * (left < right)];
  else
    command = [0.4, 0.4 * (left - right) / (left + right + 0.1)];
  end
  sim.ask('/robot1/motors', SET_VELOCITY, command);
  if mod(step, 30) == 0
    pose = sim.ask('/robot1/odometry', POSE);
    fprintf('step %d: x %.3f m, y %.3f m\n', step, pose(1:2));
  end
end
sim.close();
