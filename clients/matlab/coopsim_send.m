function coopsim_send(link, message)
% COOPSIM_SEND  Send a message behind its length.
  if isnumeric(link)
    error('coopsim:lost', 'the connection was closed; make a new Coopsim');
  end
  count = numel(message);
  framed = [uint8(floor(count ./ [16777216, 65536, 256])), uint8(mod(count, 256)), message];
  framed(2:3) = uint8(mod(floor(count ./ [65536, 256]), 256));
  if ~exist('OCTAVE_VERSION', 'builtin')
    write(link, framed);
  elseif tcp_write(link, framed) < numel(framed)
    error('coopsim:lost', 'the connection has ended; make a new Coopsim');
  end
end
