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
    run = 0        % number of the run that is meant
    refusal = {}   % of the newest refusal: its number, and a cell of its params
  end

  properties (Access = private)
    link           % to the simulation
    inbox = zeros(1, 0, 'uint8')  % what came of a message before a time-out was over
    address = ''
    host = ''
    timeout = 5    % [s]
    id = 0
    elsewhere = {} % modules that are served elsewhere: a name, a connection, and what came of a message each
    states = {}    % that came beside replies
    names = {}     % of all robots
    layout = {}    % of the readings of each in what a step brings
    generation = -1
  end

  methods
    function self = Coopsim(address, timeout)
      if nargin < 1
        address = getenv('COOPSIM_TCP');
      end
      if isempty(address)
        address = '127.0.0.1:5571';
      end
      if nargin > 1
        self.timeout = timeout;
      end
      self.address = address;
      self.open();
    end

    function reconnect(self)
      % RECONNECT  Connect anew, to the same run; coopsim:refused with 208 when another one is there.
      usual = self.run;
      self.disconnect();
      self.inbox = zeros(1, 0, 'uint8');
      self.states = {};
      self.run = 0;
      try
        self.open();
      catch problem
        self.run = usual;
        rethrow(problem);
      end
      present = self.run;
      self.run = usual;
      if present ~= usual
        self.disconnect();
        self.refusal = {208, {present}};
        error('coopsim:refused', 'error 208: another run is at %s', self.address);
      end
    end

    function [data, params] = ask(self, target, command, data, params, timeout)
      % ASK  Send a request; return the numbers and, in a cell, the other values of its reply; time-out in seconds.
      if nargin < 4
        data = [];
      end
      if nargin < 5
        params = {};
      end
      if nargin < 6
        timeout = self.timeout;
      end
      there = [];
      elsewhere = self.elsewhere;
      if ~isempty(elsewhere)
        there = find(strcmp(target, elsewhere(1, :)), 1);
      end
      if isempty(there)
        fields = self.exchange(0, target, command, data, params, timeout);
        if fields{5} == 207  % served elsewhere: its params say where
          link = coopsim_connect(strrep(fields{8}{2}, '0.0.0.0', self.host), timeout);
          self.elsewhere(:, end + 1) = {target; link; zeros(1, 0, 'uint8')};
          there = size(self.elsewhere, 2);
        end
      end
      if ~isempty(there)
        try
          fields = self.exchange(there, target, command, data, params, timeout);
        catch problem
          if any(strcmp(problem.identifier, {'coopsim:lost', 'coopsim:malformed'}))
            self.elsewhere(:, there) = [];  % the next request asks where it is now
          end
          rethrow(problem);
        end
      end
      if fields{5} ~= 0
        self.refusal = {fields{5}, fields{8}};
        error('coopsim:refused', '%s: error %d: %s', target, fields{5}, fields{6});
      end
      self.tick = fields{4};
      data = Coopsim.numbers(fields{9});
      params = fields{8};
    end

    function replies = ask_all(self, requests)
      % ASK_ALL  Send several requests to the simulation, then wait for all replies, as a STEP in parts needs it.
      %   requests: a row for each: target, command, its numbers, and a cell of its other values
      %   replies: a row for each: numbers, and a cell of other values
      began = tic;
      first = self.id + 1;
      count = size(requests, 1);
      self.id = self.id + count;
      for k = 1:count
        [target, command, data, params] = requests{k, :};
        coopsim_send(self.link, coopsim_encode(first + k - 1, target, 0, command, params, data, self.run));
      end
      all = cell(1, count);
      while any(cellfun(@isempty, all))
        fields = self.receive(0, began, self.timeout);
        self.keep(fields);
        if fields{2} >= first
          all{double(fields{2}) - first + 1} = fields;
        end
      end
      replies = cell(count, 2);
      for k = 1:count
        fields = all{k};
        if fields{5} ~= 0
          self.refusal = {fields{5}, fields{8}};
          error('coopsim:refused', '%s: error %d: %s', requests{k, 1}, fields{5}, fields{6});
        end
        self.tick = fields{4};
        replies(k, :) = {Coopsim.numbers(fields{9}), fields{8}};
      end
    end

    function state = state(self)
      % STATE  Wait for the next state of a topic that was subscribed to: sim.ask('/sim/info', 11, [], {topic}).
      began = tic;
      while isempty(self.states)
        self.keep(self.receive(0, began, self.timeout));
      end
      fields = self.states{1};
      self.states(1) = [];
      state = struct('target', fields{3}, 'tick', fields{4}, 'params', {fields{8}}, 'data', Coopsim.numbers(fields{9}));
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
      self.disconnect();
    end

    function disconnect(self)
      % DISCONNECT  End all connections.
      links = {self.link};
      if ~isempty(self.elsewhere)
        links = [links, self.elsewhere(2, :)];
      end
      if exist('OCTAVE_VERSION', 'builtin') && ~isnumeric(self.link)
        cellfun(@tcp_close, links);
      end
      self.link = [];
      self.elsewhere = {};
    end
  end

  methods (Access = private)
    function open(self)
      % OPEN  Connect and learn the run: from now on another one refuses what is meant for this one.
      [self.link, self.host] = coopsim_connect(self.address, self.timeout);
      [~, params] = self.ask('/sim/clock', 0);
      if numel(params) > 1
        self.run = uint64(params{2});
      end
    end

    function fields = exchange(self, there, target, command, data, params, timeout)
      % EXCHANGE  Send a request and return the fields of its reply; there is 0, or the column of a module elsewhere.
      id = self.id + 1;  % a property takes ten times as long to read as a variable
      self.id = id;
      if there
        coopsim_send(self.elsewhere{2, there}, coopsim_encode(id, target, 0, command, params, data, 0));
      else
        coopsim_send(self.link, coopsim_encode(id, target, 0, command, params, data, self.run));
      end
      began = tic;
      fields = {0, -1};
      while fields{2} ~= id  % a probe, a state, or what came too late for an earlier request
        fields = self.receive(there, began, timeout);
        if fields{2} == 0
          self.keep(fields);
        end
      end
    end

    function fields = receive(self, there, began, timeout)
      % RECEIVE  The fields of the next message of a connection.
      if there
        [fields, self.elsewhere{3, there}] = coopsim_receive(self.elsewhere{2, there}, self.elsewhere{3, there}, began, timeout);
      else
        [fields, self.inbox] = coopsim_receive(self.link, self.inbox, began, timeout);
      end
      if isempty(fields)
        error('coopsim:silent', 'no reply in time: is the simulation paused, or waiting for another robot?');
      end
    end

    function keep(self, fields)
      if fields{2} == 0
        self.states = [self.states(max(1, end - 62):end), {fields}];
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

    function values = numbers(data)
      if iscell(data)
        values = cellfun(@double, data);
      else
        values = typecast(data, 'double');
      end
    end
  end
end
