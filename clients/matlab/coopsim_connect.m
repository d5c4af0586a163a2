function [link, host] = coopsim_connect(address, timeout)
% COOPSIM_CONNECT  A connection to host:port, and the host; time-out in seconds.
  words = strsplit(strrep(address, 'tcp://', ''), ':');
  host = strjoin(words(1:end - 1), ':');
  port = str2double(words{end});
  try
    if ~exist('OCTAVE_VERSION', 'builtin')
      link = tcpclient(host, port, 'Timeout', timeout);
      return
    end
    if ~exist('tcp_read')
      pkg('load', 'instrument-control');
    end
    link = tcp(resolvehost(host, 'address'), port, round(1000 * timeout));
  catch problem
    error('coopsim:lost', 'no simulation answers at %s: %s', address, problem.message);
  end
end
