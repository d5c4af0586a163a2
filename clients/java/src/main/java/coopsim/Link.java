package coopsim;

import java.time.Duration;

/** A connection that carries messages. */
interface Link extends AutoCloseable {
  String ZEROMQ = "zmq://";

  /** Connect by plain TCP to host:port, where there are keys by TLS, and by ZeroMQ to zmq://host:port. */
  static Link open(String address, Duration timeout, Keys keys) throws CoopsimException {
    return address.startsWith(ZEROMQ)
        ? new ZmqLink(address.substring(ZEROMQ.length()))
        : new TcpLink(address, timeout, keys);
  }

  /** Return the host that it is connected to. */
  String host();

  /** Send a message before a deadline, in nanoseconds of System.nanoTime. */
  void send(byte[] raw, long deadline) throws CoopsimException;

  /** Return the next message that comes before a deadline, in nanoseconds of System.nanoTime. */
  byte[] receive(long deadline) throws CoopsimException;

  @Override
  void close();
}
