function attractor()
% Exercise 3: drive to a target and around what is in the way. Fill in turn_rate.m.
  dt = 0.1;  % s
  sim = coopsim_begin('formation', dt);
  robot = sim.step({'robot1'}, [0 0]);
  steps = 0;
  nearest = inf;
  while robot.target.targets(1) > 0.3 && steps < 600
    ranges = robot.sonars.ranges;
    v = clear_speed(ranges, robot.target.targets(1), 0.35);
    robot = sim.step({'robot1'}, [v, turn_rate(ranges, robot.target.targets(2))]);
    steps = steps + 1;
    nearest = min(nearest, min(robot.sonars.ranges));
  end
  sim.close();
  fprintf('%.1f m from the target after %.1f s, nothing nearer than %.2f m\n', ...
          robot.target.targets(1), steps * dt, nearest);
end
