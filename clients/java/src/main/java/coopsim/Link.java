package coopsim;

import java.time.Duration;

/** A connection that carries messages. */
interface Link extends AutoCloseable {
  String ZEROMQ = "zmq://";

  /** Connect by plain TCP to host:port, by ZeroMQ to zmq://host:port. */
  static Link open(String address, Duration timeout) throws CoopsimException {
    return address.startsWith(ZEROMQ) ? new ZmqLink(address.substring(ZEROMQ.length()), timeout) : new TcpLink(address, timeout);
  }

  /** Return the host that it is connected to. */
  String host();

  void send(byte[] raw) throws CoopsimException;

  /** Return the next message that comes before a deadline, in nanoseconds of System.nanoTime. */
  byte[] receive(long deadline) throws CoopsimException;

  @Override
  void close();
}
