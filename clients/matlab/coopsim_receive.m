function fields = coopsim_receive(link, timeout)
% COOPSIM_RECEIVE  The fields of the next message, a cell; of an empty one, which is a probe, {0, -1}.
  count = double(received(link, 4, timeout)) * [16777216; 65536; 256; 1];
  fields = {0, -1};
  if count > 1048576
    error('coopsim:malformed', 'a length of %d bytes', count);
  elseif count > 0
    raw = received(link, count, timeout);
    try
      fields = coopsim_fields(raw);
    catch problem
      error('coopsim:malformed', 'the server sent no message: %s', problem.message);
    end
  end
end

function raw = received(link, count, timeout)
  persistent is_octave
  if isempty(is_octave)
    is_octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
  end
  if is_octave
    try
      raw = tcp_read(link, count, round(1000 * timeout));
    catch
      error('coopsim:lost', 'the simulation has ended; make a new Coopsim');
    end
  else
    raw = reshape(uint8(read(link, count, 'uint8')), 1, []);
  end
  if numel(raw) < count
    if isempty(raw)
      error('coopsim:silent', 'no reply in time: is the simulation paused, or waiting for another robot?');
    end
    error('coopsim:lost', 'the rest of a message did not come in time; make a new Coopsim');
  end
end
