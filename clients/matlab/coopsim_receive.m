function [fields, inbox] = coopsim_receive(link, inbox, began, timeout)
% COOPSIM_RECEIVE  The fields of the next message, a cell; of an empty one, which is a probe, {0, -1}.
%   The time-out [s] counts from tic's `began`, however many parts come meanwhile. When it is over the fields are {}, and
%   what came of a message is in the inbox, for the next time.
  fields = {};
  inbox = received(link, inbox, 4, began, timeout);
  if numel(inbox) < 4
    return
  end
  count = double(inbox(1:4)) * [16777216; 65536; 256; 1];
  if count > 1048576
    error('coopsim:malformed', 'a length of %d bytes', count);
  end
  inbox = received(link, inbox, 4 + count, began, timeout);
  if numel(inbox) < 4 + count
    return
  end
  raw = inbox(5:end);
  inbox = zeros(1, 0, 'uint8');
  if count == 0
    fields = {0, -1};
    return
  end
  try
    fields = coopsim_fields(raw);
  catch problem
    error('coopsim:malformed', 'the server sent no message: %s', problem.message);
  end
end

function inbox = received(link, inbox, count, began, timeout)
  persistent is_octave
  if isempty(is_octave)
    is_octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
  end
  while numel(inbox) < count
    left = max(timeout - toc(began), 0);
    missing = count - numel(inbox);
    if is_octave
      part = octave_part(link, missing, left);
    else
      part = matlab_part(link, missing, left);
    end
    inbox = [inbox, part];
    if isempty(part) && toc(began) >= timeout
      return
    end
  end
end

function part = octave_part(link, count, seconds)
  % tcp_read counts its time-out per part, so it waits for one byte alone and then fetches what is there
  try
    part = tcp_read(link, 1, ceil(1000 * seconds));
    if count > 1 && ~isempty(part)
      part = [part, tcp_read(link, count - 1, 0)];
    end
  catch
    error('coopsim:lost', 'the simulation has ended; make a new Coopsim');
  end
end

function part = matlab_part(link, count, seconds)
  link.Timeout = max(seconds, 0.001);
  count = max(min(count, link.NumBytesAvailable), 1);
  part = reshape(uint8(read(link, count, 'uint8')), 1, []);
end
