classdef CoopsimRawStepper < handle
% COOPSIMRAWSTEPPER  Steps robots in one message: what it takes and gives, by robot, module and name.
%
%   The last command of a robot holds until there is another; when the scene has changed, all begin anew with 0.
  properties
    client
    robots      % their names, in a row of cells
    tick = 0    % of the last step
  end

  properties (Access = private)
    generation = 0
    takes       % where the values of commands stand: by robot, and of all robots
    gives       % the same of readings
    commands = []
    data = []   % that the last step brought
    groups = [] % a row of first and last robot for those that fit one message together
  end

  methods
    function self = CoopsimRawStepper(client, robots)
      self.client = client;
      self.robots = reshape(robots, 1, []);
      self.learn();
      self.ask_of_all(13);
    end

    function step(self)
      % STEP  Do a step; the methods of the stepper say what the robots read.
      try
        self.exchange();
      catch problem
        if ~strcmp(problem.identifier, 'coopsim:refused') || self.client.refusal{1} ~= 206
          rethrow(problem);
        end
        self.learn();
        self.exchange();
      end
    end

    function put(self, robot, module, name, values)
      % PUT  Set a value, or a run of values, of the next command of a robot; {} is all robots, with a row for each.
      places = coopsim_places(self.takes, self.robots, robot, module, name);
      if numel(values) ~= numel(places) && ~(isempty(robot) && isscalar(values))
        error('coopsim:argument', '%s.%s takes %d values, got %d', module, name, numel(places), numel(values));
      end
      self.commands(places) = values;
    end

    function values = numbers(self, robot, module, name)
      % NUMBERS  Return a value, or a run of values, that the last step read; {} is all robots, with a row for each.
      places = coopsim_places(self.gives, self.robots, robot, module, name);
      values = reshape(self.data(places), size(places));
    end

    function close(self)
      % CLOSE  Give the robots back.
      self.ask_of_all(15);
    end
  end

  methods (Access = private)
    function ask_of_all(self, command)
      % ASK_OF_ALL  Claim all robots, or give them back.
      for k = 1:size(self.groups, 1)
        self.client.ask('/sim/step', command, [], self.robots(self.groups(k, 1):self.groups(k, 2)));
      end
    end

    function exchange(self)
      % EXCHANGE  Do a step; robots that fit no message together are stepped in parts, by one tick for all.
      count = size(self.groups, 1);
      if count == 1
        data = self.client.ask('/sim/step', 11, self.commands, [{uint64(self.generation)}, self.robots]);
      else
        requests = repmat({'/sim/step', 18, [], {}}, count, 1);
        requests{count, 2} = 11;
        for k = 1:count
          [first, last] = deal(self.groups(k, 1), self.groups(k, 2));
          requests{k, 3} = self.commands(self.takes.starts(first) + 1:self.takes.starts(last + 1));
          requests{k, 4} = [{uint64(self.generation)}, self.robots(first:last)];
        end
        replies = self.client.ask_all(requests);
        data = [replies{:, 1}];
      end
      if numel(data) ~= self.gives.length
        error('coopsim:malformed', '%d readings instead of %d', numel(data), self.gives.length);
      end
      self.data = data;
      self.tick = self.client.tick;
    end

    function learn(self)
      % LEARN  Ask what a step takes and gives; commands begin with 0.
      kinds = struct('name', {}, 'kind', {});
      count = 1000;
      while count == 1000
        [~, params] = self.client.ask('/sim/step', 10, [], {uint64(numel(kinds)), uint64(1000)});
        page = jsondecode(params{1});
        count = numel(page.robots);
        for k = 1:count
          kinds(end + 1) = struct('name', page.robots{k}{1}, 'kind', page.types.(page.robots{k}{2}));
        end
      end
      if isempty(self.robots)
        self.robots = {kinds.name};
      end
      self.generation = page.generation;
      self.takes = struct('spans', {{}}, 'all', struct(), 'length', 0, 'starts', 0);
      self.gives = struct('spans', {{}}, 'all', struct(), 'length', 0, 'starts', 0);
      for k = 1:numel(self.robots)
        kind = kinds(strcmp(self.robots{k}, {kinds.name}));
        if isempty(kind)
          error('coopsim:malformed', 'no robot %s is in the layout of a step', self.robots{k});
        end
        self.takes = CoopsimRawStepper.behind(self.takes, kind.kind.takes, kind.kind.takes_length);
        self.gives = CoopsimRawStepper.behind(self.gives, kind.kind.gives, kind.kind.gives_length);
      end
      self.commands = zeros(1, self.takes.length);
      self.group();
    end

    function group(self)
      % GROUP  Put robots together that fit one message: shorter than 1 MiB with names of 128 letters.
      [most_robots, most_values] = deal(2000, 65536);
      self.groups = zeros(0, 2);
      first = 1;
      for last = 1:numel(self.robots)
        sizes = [self.takes.starts(last + 1) - self.takes.starts(first), self.gives.starts(last + 1) - self.gives.starts(first)];
        if last - first == most_robots || max(sizes) > most_values
          self.groups(end + 1, :) = [first, last - 1];
          first = last;
        end
      end
      self.groups(end + 1, :) = [first, numel(self.robots)];
    end
  end

  methods (Static, Access = private)
    function rows = behind(rows, columns, length)
      % BEHIND  Put the row of a robot behind those of others.
      spans = struct();
      for k = 1:numel(columns)
        column = columns{k};  % module, name, unit, first value, number of values
        places = rows.length + column{4} + (1:column{5});
        spans.(column{1}).(column{2}) = places;
        rows.all = CoopsimRawStepper.with_row(rows.all, column{1}, column{2}, places);
      end
      rows.spans{end + 1} = spans;
      rows.length = rows.length + length;
      rows.starts(end + 1) = rows.length;
    end

    function all = with_row(all, module, name, places)
      % WITH_ROW  Put the places of a robot below those of others that have as many.
      if ~isfield(all, module)
        all.(module) = struct();
      end
      if ~isfield(all.(module), name)
        all.(module).(name) = places;
      elseif size(all.(module).(name), 2) == numel(places)
        all.(module).(name)(end + 1, :) = places;
      end
    end
  end
end
