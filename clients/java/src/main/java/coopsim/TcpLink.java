package coopsim;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A connection by plain TCP: messages, each behind its length. */
final class TcpLink implements Link {
  private static final int LARGEST = 1 << 20;

  private final String host;
  private final Socket socket = new Socket();
  private final InputStream in;
  private final byte[] length = new byte[4];
  private byte[] inbox = length; // the length, or the message, that is being read
  private int filled;

  TcpLink(String address, Duration timeout) throws CoopsimException {
    String place = address.replaceFirst("^tcp://", "");
    int colon = place.lastIndexOf(':');
    host = place.substring(0, Math.max(colon, 0));
    try {
      socket.connect(new InetSocketAddress(host, Integer.parseInt(place.substring(colon + 1))), (int) timeout.toMillis());
      socket.setTcpNoDelay(true);
      in = new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16);
    } catch (IOException | NumberFormatException problem) {
      throw new CoopsimException.Lost(address + ": " + problem.getMessage());
    }
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public void send(byte[] raw) throws CoopsimException {
    try {
      socket.getOutputStream().write(ByteBuffer.allocate(4 + raw.length).putInt(raw.length).put(raw).array());
    } catch (IOException problem) {
      throw new CoopsimException.Lost(problem.getMessage());
    }
  }

  /** What came of a message before the deadline is kept for later. */
  @Override
  public byte[] receive(long deadline) throws CoopsimException {
    if (inbox == length) {
      fill(deadline);
      int size = ByteBuffer.wrap(length).getInt();
      if (size < 0 || size > LARGEST) {
        close();
        throw new CoopsimException.Malformed("a length of " + Integer.toUnsignedString(size) + " bytes");
      }
      inbox = new byte[size];
      filled = 0;
    }
    fill(deadline);
    byte[] raw = inbox;
    inbox = length;
    filled = 0;
    return raw;
  }

  private void fill(long deadline) throws CoopsimException {
    try {
      while (filled < inbox.length) {
        socket.setSoTimeout((int) Math.max(1, (deadline - System.nanoTime()) / 1_000_000));
        int count = in.read(inbox, filled, inbox.length - filled);
        if (count < 0) {
          throw new CoopsimException.Lost("the connection was closed");
        }
        filled += count;
      }
    } catch (SocketTimeoutException late) {
      throw new CoopsimException.Silent();
    } catch (IOException problem) {
      throw new CoopsimException.Lost(problem.getMessage());
    }
  }

  @Override
  public void close() {
    try {
      socket.close();
    } catch (IOException unimportant) {
      // it is over either way
    }
  }
}
