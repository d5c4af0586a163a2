classdef Simulation < handle
% SIMULATION  A connection whose arguments MATLAB checks, with sizes, types and defaults that it shows while you type.
%   MATLAB alone, R2021a or later: all work is that of Coopsim, which Octave runs and tests.
%
%   sim = coopsim.Simulation(Timeout=2);                  % COOPSIM_TCP, or 127.0.0.1:5571
%   sonars = sim.module("Sonars", "/robot1/sonars");      % the class of a kind of module
%   [data, params] = sim.ask("/robot1/motors", 10, [0.3 0.1], Timeout=0.5);
%   clear sim                                             % ends the connection

  properties (SetAccess = immutable)
    client  % the connection that Octave has, too
  end

  methods
    function self = Simulation(options)
      % SIMULATION  Connect to host:port.
      arguments
        options.Address {mustBeTextScalar} = ''
        options.Timeout (1, 1) double {mustBePositive} = 5  % [s]
      end
      self.client = Coopsim(char(options.Address), options.Timeout);
    end

    function [data, params] = ask(self, target, command, data, params, options)
      % ASK  Send a request; return the numbers and, in a cell, the other values of its reply.
      arguments
        self (1, 1) coopsim.Simulation
        target {mustBeTextScalar, mustBeNonzeroLengthText}
        command (1, 1) double {mustBeInteger, mustBeNonnegative}
        data (1, :) double {mustBeNonNan} = zeros(1, 0)
        params (1, :) cell = {}
        options.Timeout (1, 1) double {mustBePositive} = 5  % [s]
      end
      [data, params] = self.client.ask(char(target), command, data, params, options.Timeout);
    end

    function module = module(self, kind, target)
      % MODULE  The typed class of a kind of module, such as "Sonars", for a module by its name.
      arguments
        self (1, 1) coopsim.Simulation
        kind {mustBeTextScalar, mustBeValidVariableName}
        target {mustBeTextScalar, mustBeNonzeroLengthText}
      end
      module = feval(['Coopsim' char(kind)], self.client, char(target));
    end

    function delete(self)
      % DELETE  End the connection.
      self.client.disconnect();
    end
  end
end
