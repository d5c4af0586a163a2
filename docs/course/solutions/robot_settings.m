function settings = robot_settings()
% A row for each robot: gain of the rate of turn, dead zone of a wheel [m/s].
  settings = [3, 0;  % robot1
              % yours
              2, 0.15  % real2
              % end of yours
             ];
end
