function sense()
% Exercise 2: drive about in an arena and touch nothing. Fill in wander_command.m.
  dt = 0.1;  % s
  sim = coopsim_begin('single', dt);
  robot = sim.step({'robot1'}, [0 0]);
  way = 0;
  nearest = inf;
  for k = 1:200
    robot = sim.step({'robot1'}, wander_command(robot.sonars.ranges));
    way = way + dt * robot.motors.v;
    nearest = min(nearest, min(robot.sonars.ranges));
  end
  sim.close();
  fprintf('drove %.1f m, nothing nearer than %.2f m\n', way, nearest);
end
