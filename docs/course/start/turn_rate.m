function rate = turn_rate(ranges, goal)
% dphi/dt [rad/s] from what the sonars read [m] and the bearing of the goal [rad].
  bearings = deg2rad(linspace(-110, 110, 11));  % of the sonars, from right to left
  % yours
  rate = 0;
  % end of yours
end
