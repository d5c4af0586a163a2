% Answers the lines of docs/conformance.md in Octave, for `coopsim conformance client`.
1;

function row = from_hex(text)
  row = uint8(sscanf(text, '%2x')).';
end

function text = text_of(value)
  text = ['s:', sprintf('%02x', unicode2native(value, 'UTF-8'))];
end

function text = floats_of(values)
  if isempty(values)
    text = '';
    return
  end
  raw = flipud(reshape(typecast(reshape(double(values), 1, []), 'uint8'), 8, []));
  text = strtrim(sprintf(['f:', repmat('%02x', 1, 8), ' '], raw));
end

function text = whole_of(value)
  text = sprintf('i:%s', sprintf('%u', value));
end

function text = param_of(value)
  if ischar(value)
    text = text_of(value);
  elseif isinteger(value) && value < 0
    text = sprintf('i:%d', value);
  elseif isinteger(value)
    text = whole_of(value);
  else
    text = ['n', floats_of(value)(2:end)];  % Octave does not tell 3.0 from 3
  end
end

function text = params_of(values)
  text = strjoin(cellfun(@param_of, values, 'UniformOutput', false), ' ');
end

function value = value_of(word)
  rest = word(3:end);
  if word(1) == 's'
    value = native2unicode(from_hex(rest), 'UTF-8');
  elseif word(1) == 'f'
    value = typecast(from_hex(rest)(8:-1:1), 'double');
  elseif rest(1) == '-'
    value = int64(0);
    for digit = rest(2:end) - '0'
      value = value * 10 - digit;
    end
  else
    value = uint64(0);
    for digit = rest - '0'
      value = value * 10 + digit;
    end
  end
end

function values = values_of(text)
  values = {};
  if ~isempty(text)
    values = cellfun(@value_of, strsplit(text, ' '), 'UniformOutput', false);
  end
end

function numbers = numbers_of(text)
  numbers = cellfun(@double, values_of(text));
end

function found = connected(sim)
  if isempty(sim)
    error('coopsim:lost', 'there is no connection');
  end
  found = sim;
end

function words = decoded(raw)
  it = coopsim_fields(from_hex(raw));
  if iscell(it{9})
    data = cellfun(@double, it{9});
  else
    data = typecast(it{9}, 'double');
  end
  words = {'message', whole_of(it{2}), text_of(it{3}), whole_of(it{4}), whole_of(it{5}), text_of(it{6}), whole_of(it{7}), ...
           params_of(it{8}), floats_of(data)};
end

function words = timed(sim, given)
  target = value_of(given{2});
  command = value_of(given{3});
  params = values_of(given{4});
  data = numbers_of(given{5});
  began = tic();
  for k = 1:str2double(given{1})
    sim.ask(target, command, data, params);
  end
  words = {'time', floats_of(toc(began))};
end

function words = stepped(sim, count, robots)
  stepper = CoopsimStepper(sim, robots);
  began = tic();
  for k = 1:count
    stepper.setDifferentialDrive({}, 0.25, 0.125);  % {}: all robots in one call
    stepper.step();
    ranges = stepper.sonars().ranges;
    if isempty(ranges) || any(stepper.differentialDrive().v > 1)
      error('coopsim:malformed', 'a robot sees nothing, or is too fast');
    end
  end
  seconds = toc(began);
  stepper.close();
  words = {'time', floats_of(seconds)};
end

function [words, sim] = used(sim, name)
  persistent clients current
  if isempty(current)
    current = 'main';
    clients = struct();
  end
  clients.(current) = sim;
  current = name;
  sim = [];
  if isfield(clients, name)
    sim = clients.(name);
  end
  words = {'using', name};
end

function [words, sim] = answer(sim, what, given)
  switch what
    case 'decode'
      words = decoded(given{1});
    case 'encode'
      raw = coopsim_encode(value_of(given{1}), value_of(given{2}), value_of(given{3}), value_of(given{4}), ...
                           values_of(given{5}), numbers_of(given{6}), value_of(given{7}));
      words = {'bytes', sprintf('%02x', raw)};
    case {'connect', 'close'}
      if ~isempty(sim)
        sim.disconnect();
      end
      sim = [];
      words = {'closed'};
      if strcmp(what, 'connect')
        sim = Coopsim(given{1}, str2double(given{2}));
        words = {'connected', whole_of(sim.run)};
      end
    case 'reconnect'
      client = connected(sim);
      client.reconnect();
      words = {'connected', whole_of(client.run)};
    case 'use'
      [words, sim] = used(sim, given{1});
    case 'within'
      client = connected(sim);
      target = value_of(given{2});
      [data, params] = client.ask(target, value_of(given{3}), numbers_of(given{5}), values_of(given{4}), str2double(given{1}));
      words = {'reply', whole_of(client.tick), params_of(params), floats_of(data)};
    case 'ask'
      client = connected(sim);
      [data, params] = client.ask(value_of(given{1}), value_of(given{2}), numbers_of(given{4}), values_of(given{3}));
      words = {'reply', whole_of(sim.tick), params_of(params), floats_of(data)};
    case 'time'
      words = timed(connected(sim), given);
    case 'steps'
      words = stepped(connected(sim), str2double(given{1}), values_of(given{2}));
    case 'state'
      client = connected(sim);
      it = client.state();
      words = {'state', text_of(it.target), whole_of(it.tick), params_of(it.params), floats_of(it.data)};
    otherwise
      words = {'unsupported'};
  end
end

function words = failure(problem, sim)
  word = strrep(problem.identifier, 'coopsim:', '');
  words = {word, problem.message};
  if strcmp(word, 'refused')
    words = {word, whole_of(sim.refusal{1}), params_of(sim.refusal{2}), problem.message};
  elseif ~any(strcmp(word, {'silent', 'lost', 'malformed'}))
    words = {'failed', problem.message};
  end
end

function line = next_line()
  try
    line = input('', 's');  % fgetl waits for the line behind it
  catch
    line = -1;
  end
end

sim = [];
line = next_line();
while ischar(line)
  given = strsplit(line, "\t", 'CollapseDelimiters', false);
  try
    [words, sim] = answer(sim, given{1}, given(2:end));
  catch problem
    words = failure(problem, sim);
  end
  printf('%s\n', strjoin(strrep(words, "\n", ' '), "\t"));
  fflush(stdout);
  line = next_line();
end
