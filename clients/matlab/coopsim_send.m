function coopsim_send(link, message)
% COOPSIM_SEND  Send a message behind its length.
  persistent is_octave
  if isempty(is_octave)
    is_octave = exist('OCTAVE_VERSION', 'builtin') ~= 0;
  end
  if isnumeric(link)
    error('coopsim:lost', 'the connection was closed; make a new Coopsim');
  end
  count = typecast(uint32(numel(message)), 'uint8');
  framed = [count(4:-1:1), message];
  if ~is_octave
    write(link, framed);
  elseif tcp_write(link, framed) < numel(framed)
    error('coopsim:lost', 'the connection has ended; make a new Coopsim');
  end
end
