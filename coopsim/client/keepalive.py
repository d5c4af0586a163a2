"""Keep-alive of ZeroMQ connections: both sides notice that the other machine is gone."""

import zmq

# no HEARTBEAT_IVL: libzmq aborts the process when a ping is due on a connection that broke while its input waits
KEEPALIVE = {
    zmq.TCP_KEEPALIVE: 1,
    zmq.TCP_KEEPALIVE_IDLE: 1,
    zmq.TCP_KEEPALIVE_INTVL: 1,
    zmq.TCP_KEEPALIVE_CNT: 3,
    zmq.TCP_MAXRT: 5000,
}
"""Socket options: an idle connection is tried after 1 s and given up after 3 more, unanswered data after 5 s."""
