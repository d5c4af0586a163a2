function [vw, u] = help_carry(angle, force, u, dt)
% Command of the helper, and its speed along the bar u [m/s], from where the bar points [rad] and how it pulls [N].
  % yours
  vw = [0, 0];
  % end of yours
end
