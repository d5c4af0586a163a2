function vw = wander_command(ranges)
% Speed [m/s] and rate of turn [rad/s] from what eleven sonars read, from right to left [m].
  % yours
  vw = [0.2, 0];
  % end of yours
end
