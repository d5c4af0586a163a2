classdef Coopsim < handle
% COOPSIM  A connection to a simulation by plain TCP, for MATLAB and for GNU Octave with the package instrument-control.
%
%   sim = Coopsim();                                    % COOPSIM_TCP, or 127.0.0.1:5571
%   ranges = sim.ask('/robot1/sonars', 10);             % one request: module, number of the command
%   sim.ask('/robot1/motors', 10, [0.3 0.1]);           % values with a unit are numbers ...
%   sim.ask('/sim/world', 18, [], {'formation'});       % ... all others stand in a cell
%   seen = sim.step({'robot1'}, [0.3 0.0]);             % one step of the simulation, a row of commands for each robot
%   seen(1).sonars.ranges                               % what it brings, by robot and module
%   sim.close();
%
%   The protocol is docs/protocol.md; the numbers of commands are those that `coopsim describe /robot1/sonars` lists.

  properties
    tick = 0       % that the newest reply speaks of
  end

  properties (Access = private)
    socket         % to the simulation
    host = ''
    id = 0
    run = {}       % number of the run that is meant, once it is known
    others         % connections to modules that are served elsewhere, by module
    names = {}     % of all robots
    layout = {}    % of the readings of each in what a step brings
    generation = -1
  end

  methods
    function self = Coopsim(address)
      if nargin < 1
        address = getenv('COOPSIM_TCP');
      end
      if isempty(address)
        address = '127.0.0.1:5571';
      end
      if exist('OCTAVE_VERSION', 'builtin')
        pkg('load', 'instrument-control');
      end
      [self.socket, self.host] = Coopsim.connected(address);
      self.others = containers.Map();
      [~, known] = self.ask('/sim/clock', 0);
      self.run = {uint64(known{2})};
    end

    function [data, params] = ask(self, target, command, data, params)
      % ASK  Send a request; return the numbers and, in a cell, the other values of its reply.
      if nargin < 4
        data = [];
      end
      if nargin < 5
        params = {};
      end
      if self.others.Count > 0 && self.others.isKey(target)
        fields = self.exchange(self.others(target), target, command, data, params, {});
      else
        fields = self.exchange(self.socket, target, command, data, params, self.run);
        if fields{5} == 207  % served elsewhere: its params say where
          self.others(target) = Coopsim.connected(strrep(fields{8}{2}, 'tcp://0.0.0.0', self.host));
          fields = self.exchange(self.others(target), target, command, data, params, {});
        end
      end
      if fields{5} ~= 0
        error('coopsim:refused', '%s: error %d: %s', target, fields{5}, fields{6});
      end
      self.tick = fields{4};
      data = Coopsim.numbers(fields{9});
      params = fields{8};
    end

    function seen = step(self, robots, commands)
      % STEP  Do a step of the simulation with a row of commands for each robot; return what they read.
      [data, params] = self.ask('/sim/step', 11, reshape(commands.', 1, []), [{uint8(0)}, robots]);
      if params{1} ~= self.generation
        self.learn();
      end
      seen = struct([]);
      at = 0;
      for k = 1:numel(robots)
        modules = self.layout{strcmp(robots{k}, self.names)};
        for m = 1:numel(modules)
          one = modules{m};
          values = mat2cell(data(at + (1:one.total)), 1, one.lengths);
          seen(k).(one.name) = cell2struct(values, one.fields, 2);
          at = at + one.total;
        end
      end
    end

    function close(self)
      % CLOSE  Give the robots back and end all connections.
      self.ask('/sim/step', 15);
      self.others = containers.Map();
      self.socket = [];
    end
  end

  methods (Access = private)
    function fields = exchange(self, socket, target, command, data, params, run)
      self.id = self.id + 1;
      count = 9 + numel(run);
      message = [uint8(144 + count), coopsim_pack(uint8(1)), coopsim_pack(uint32(self.id)), coopsim_pack(target), ...
                 uint8([0, 0, 160]), coopsim_pack(uint8(command)), coopsim_pack(params), coopsim_bin(data)];
      if ~isempty(run)
        message = [message, coopsim_pack(run{1})];
      end
      size = typecast(uint32(numel(message)), 'uint8');
      write(socket, [size(end:-1:1), message]);
      fields = {0, -1};
      while fields{2} ~= self.id  % what came too late for an earlier request
        size = Coopsim.received(socket, 4);
        size = double(typecast(size(end:-1:1), 'uint32'));
        fields = coopsim_fields(Coopsim.received(socket, size));
      end
    end

    function learn(self)
      % LEARN  Ask where each reading stands in what a step brings.
      [~, params] = self.ask('/sim/step', 10, [], {uint16(0), uint16(1000)});
      told = jsondecode(params{1});
      self.names = cellfun(@(robot) robot{1}, told.robots, 'UniformOutput', false);
      self.layout = cellfun(@(robot) Coopsim.modules(told.types.(robot{2}).gives), told.robots, 'UniformOutput', false);
      self.generation = told.generation;
    end
  end

  methods (Static, Access = private)
    function [socket, host] = connected(address)
      words = strsplit(strrep(address, 'tcp://', ''), ':');
      host = strjoin(words(1:end - 1), ':');
      socket = tcpclient(host, str2double(words{end}), 'Timeout', 30);
    end

    function found = modules(gives)
      % MODULES  A struct for each module: its name, its fields, how many values each of them has, and all together.
      found = {};
      for k = 1:numel(gives)
        where = gives{k};  % module, field, unit, first value, number of values
        if isempty(found) || ~strcmp(found{end}.name, where{1})
          found{end + 1} = struct('name', where{1}, 'fields', {{}}, 'lengths', [], 'total', 0);
        end
        found{end}.fields{end + 1} = where{2};
        found{end}.lengths(end + 1) = where{5};
        found{end}.total = found{end}.total + where{5};
      end
    end

    function raw = received(socket, count)
      raw = uint8(read(socket, count, 'uint8'));
      raw = reshape(raw, 1, []);
      if numel(raw) < count
        error('coopsim:silent', 'no reply within 30 s, or the simulation has ended');
      end
    end

    function values = numbers(data)
      if iscell(data)
        values = cellfun(@double, data);
      else
        values = typecast(data, 'double');
      end
    end
  end
end
