function vw = square_command(pose, corner, gain)
% Speed [m/s] and rate of turn [rad/s] that bring a robot nearer to a corner.
  % yours
  vw = [0.2, 0];
  % end of yours
end
