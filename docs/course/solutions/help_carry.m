function [vw, u] = help_carry(angle, force, u, dt)
% Command of the helper, and its speed along the bar u [m/s], from where the bar points [rad] and how it pulls [N].
  % yours
  mass = 20;  % kg
  drag = 15;  % N s/m
  u = (u + force * dt / mass) / (1 + drag * dt / mass);
  w = 2 * sin(angle);
  if abs(angle) > pi / 2
    w = 2 * sign(angle);
  end
  vw = [u * cos(angle), w];
  % end of yours
end
