% Drives three robots by names: commands, readings, parameters and refusals as this language has them.
robots = {'robot1', 'robot2', 'robot3'};
sim = Coopsim();
world = CoopsimWorld(sim);
world.reset();
stepper = CoopsimStepper(sim, robots);
for k = 1:40
  for number = 1:numel(robots)
    stepper.setDifferentialDrive(robots{number}, 0.1 * number, 0.05);
  end
  stepper.step();
end
for number = 1:numel(robots)
  nearest = min(stepper.sonars(robots{number}).ranges);
  speed = stepper.differentialDrive(robots{number}).v;
  fprintf('%s: nearest %.3f m, speed %.3f m/s\n', robots{number}, nearest, speed);
end
stepper.close();
odometry = CoopsimOdometry(sim, '/robot3/odometry');
pose = odometry.pose();
fprintf('robot3 is at x %.3f m, y %.3f m\n', pose.x, pose.y);
sonars = CoopsimSonars(sim, '/robot1/sonars');
reach = sonars.getReach();
fprintf('reach was %.1f m, is %.1f m\n', reach, sonars.setReach(2));
sonars.setReach(reach);
try
  missing = CoopsimSonars(sim, '/robotX/sonars');
  missing.ranges();
catch problem
  words = {'false', 'true'};
  is_no_name = strcmp(problem.identifier, 'coopsim:refused') && sim.refusal{1} == CoopsimErrorCode.NO_SUCH_NAME;
  fprintf('refused: no such name %s\n', words{1 + is_no_name});
end
sim.disconnect();
