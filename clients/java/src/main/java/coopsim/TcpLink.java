package coopsim;

import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;

/** A connection by plain TCP or TLS: messages, each behind its length. */
final class TcpLink implements Link {
  private static final int LARGEST = 1 << 20;
  private static final int SLICE = 50; // ms; how late an interrupt is noticed

  private final String host;
  private final Socket socket;
  private final WriteWatch.Entry writing;
  private final InputStream in;
  private final byte[] length = new byte[4];
  private byte[] inbox = length; // the length, or the message, that is being read
  private int filled;

  TcpLink(String address, Duration timeout, Keys keys) throws CoopsimException {
    String place = address.replaceFirst("^(tcp|tls)://", "");
    int colon = place.lastIndexOf(':');
    host = place.substring(0, Math.max(colon, 0));
    Socket plain = new Socket();
    try {
      plain.connect(new InetSocketAddress(host, Integer.parseInt(place.substring(colon + 1))), (int) timeout.toMillis());
      plain.setTcpNoDelay(true);
      plain.setSoTimeout((int) timeout.toMillis());
      socket = keys == null ? plain : keys.over(plain);
      in = new java.io.BufferedInputStream(socket.getInputStream(), 1 << 16);
    } catch (IOException | NumberFormatException problem) {
      end(plain);
      throw new CoopsimException.Lost(address + ": " + problem.getMessage());
    }
    writing = WriteWatch.of(plain);
  }

  @Override
  public String host() {
    return host;
  }

  @Override
  public void send(byte[] raw, long deadline) throws CoopsimException {
    writing.begin(deadline);
    try {
      socket.getOutputStream().write(ByteBuffer.allocate(4 + raw.length).putInt(raw.length).put(raw).array());
    } catch (IOException problem) {
      close(); // half of a message would make nonsense of all that follow
      throw new CoopsimException.Lost(problem.getMessage());
    } finally {
      writing.end();
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
    while (filled < inbox.length) {
      long left = (deadline - System.nanoTime()) / 1_000_000;
      if (left <= 0 && System.nanoTime() >= deadline || Thread.currentThread().isInterrupted()) {
        throw new CoopsimException.Silent();
      }
      filled += part((int) Math.max(1, Math.min(left, SLICE)));
    }
  }

  /** Read what comes within some milliseconds, and return how many bytes that is. */
  private int part(int milliseconds) throws CoopsimException {
    try {
      socket.setSoTimeout(milliseconds);
      int count = in.read(inbox, filled, inbox.length - filled);
      if (count < 0) {
        throw new CoopsimException.Lost("the connection was closed");
      }
      return count;
    } catch (SocketTimeoutException late) {
      return 0;
    } catch (IOException problem) {
      throw new CoopsimException.Lost(problem.getMessage());
    }
  }

  @Override
  public void close() {
    WriteWatch.forget(writing);
    end(socket);
  }

  private static void end(Socket socket) {
    try {
      socket.close();
    } catch (IOException unimportant) {
      // it is over either way
    }
  }
}
