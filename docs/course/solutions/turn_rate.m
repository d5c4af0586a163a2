function rate = turn_rate(ranges, goal)
% dphi/dt [rad/s] from what the sonars read [m] and the bearing of the goal [rad].
  bearings = deg2rad(linspace(-110, 110, 11));  % of the sonars, from right to left
  % yours
  strength = 4 * exp(-ranges / 0.5);
  width = 0.35 + atan(0.25 ./ (0.25 + ranges));
  repellers = -strength .* bearings .* exp(-bearings .^ 2 ./ (2 * width .^ 2));
  rate = 1.2 * sin(goal) + sum(repellers);
  % end of yours
end
