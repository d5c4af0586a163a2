classdef Stepper < handle
% STEPPER  Steps robots of a coopsim.Simulation by names; MATLAB checks the arguments. All work is that of CoopsimStepper.
%
%   stepper = coopsim.Stepper(sim, ["robot1", "robot2"]);
%   stepper.steps.setDifferentialDrive('robot1', 0.3, 0.1);   % by kind of module: help CoopsimStepper
%   stepper.put("robot2", "motors", "v", 0.2);                % by the name of a module and of a value
%   stepper.step(Ticks=10);
%   ranges = stepper.steps.sonars('robot1').ranges;

  properties (SetAccess = immutable)
    steps  % the stepper that Octave has, too
    simulation
  end

  methods
    function self = Stepper(simulation, robots)
      % STEPPER  Claim robots, or all where none is named.
      arguments
        simulation (1, 1) coopsim.Simulation
        robots (1, :) string = strings(1, 0)
      end
      self.simulation = simulation;
      self.steps = CoopsimStepper(simulation.client, cellstr(robots));
    end

    function put(self, robot, module, name, values)
      % PUT  Set a value, or a run of values, of the next command of a robot.
      arguments
        self (1, 1) coopsim.Stepper
        robot {mustBeTextScalar, mustBeNonzeroLengthText}
        module {mustBeTextScalar, mustBeNonzeroLengthText}
        name {mustBeTextScalar, mustBeNonzeroLengthText}
        values (1, :) double {mustBeFinite}
      end
      self.steps.put(char(robot), char(module), char(name), values);
    end

    function step(self, options)
      % STEP  Do steps with the last commands.
      arguments
        self (1, 1) coopsim.Stepper
        options.Ticks (1, 1) double {mustBeInteger, mustBePositive} = 1
      end
      for tick = 1:options.Ticks
        self.steps.step();
      end
    end

    function delete(self)
      % DELETE  Give the robots back, unless the connection has ended before.
      if isvalid(self.simulation)
        self.steps.close();
      end
    end
  end
end
