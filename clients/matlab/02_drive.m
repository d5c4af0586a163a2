% Drives a robot in an arc, one request after the other.
RESET = 14; SET_VELOCITY = 10; STOP = 12; POSE = 10;
sim = Coopsim();
sim.ask('/sim/world', RESET);
for step = 1:100
  sim.ask('/robot1/motors', SET_VELOCITY, [0.4 0.2]);
  pose = sim.ask('/robot1/odometry', POSE);
end
sim.ask('/robot1/motors', STOP);
fprintf('robot1 drove to x %.3f m, y %.3f m, heading %.3f rad\n', pose(1:3));
sim.close();
