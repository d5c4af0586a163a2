package coopsim;

import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/** A connection by ZeroMQ: a message is a frame. It connects again by itself. */
final class ZmqLink implements Link {
  private final String place;
  private final ZContext context = new ZContext();
  private final ZMQ.Socket dealer = context.createSocket(SocketType.DEALER);

  ZmqLink(String place) throws CoopsimException {
    this.place = place;
    dealer.setLinger(0);
    dealer.setImmediate(true); // nothing is sent before somebody is there
    try {
      dealer.connect("tcp://" + place);
    } catch (RuntimeException problem) { // JeroMQ has several of them for an address that is none
      close();
      throw new CoopsimException.Lost(place + ": " + problem.getMessage());
    }
  }

  @Override
  public String host() {
    return place.substring(0, Math.max(place.lastIndexOf(':'), 0));
  }

  @Override
  public void send(byte[] raw, long deadline) throws CoopsimException {
    dealer.setSendTimeOut((int) Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    if (!dealer.send(raw)) {
      throw new CoopsimException.Lost("no simulation at " + place);
    }
  }

  @Override
  public byte[] receive(long deadline) throws CoopsimException {
    dealer.setReceiveTimeOut((int) Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
    byte[] raw = dealer.recv();
    if (raw == null) {
      throw new CoopsimException.Silent();
    }
    return raw;
  }

  @Override
  public void close() {
    context.close();
  }
}
