function vw = square_command(pose, corner, gain)
% Speed [m/s] and rate of turn [rad/s] that bring a robot nearer to a corner.
  % yours
  x = corner(1) - pose.x;
  y = corner(2) - pose.y;
  off = atan2(y, x) - pose.heading;
  off = atan2(sin(off), cos(off));
  v = min(0.4, 2 * hypot(x, y)) * max(0, cos(off)) ^ 3;
  vw = [v, gain * off];
  % end of yours
end
