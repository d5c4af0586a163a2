package coopsim;

import java.io.IOException;
import java.net.Socket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/** A thread that ends connections on which a message is written for too long: sockets of Java have no time-out for that. */
final class WriteWatch {
  private static final long NOTHING = Long.MAX_VALUE;
  private static final long PACE = 20; // ms; how late it notices
  private static final Set<Entry> ENTRIES = ConcurrentHashMap.newKeySet();
  private static Thread thread;

  private WriteWatch() {}

  /** A connection, and until when it may write. */
  static final class Entry {
    private final Socket socket;
    private final long epoch = System.nanoTime(); // which may be anything, so that only differences mean something
    private volatile long deadline = NOTHING;

    private Entry(Socket socket) {
      this.socket = socket;
    }

    void begin(long end) {
      deadline = end - epoch;
    }

    void end() {
      deadline = NOTHING;
    }

    private void check() {
      if (System.nanoTime() - epoch <= deadline) {
        return;
      }
      try {
        socket.close();
      } catch (IOException unimportant) {
        // who writes is told either way
      }
    }
  }

  /** Watches a connection. */
  static synchronized Entry of(Socket socket) {
    Entry entry = new Entry(socket);
    ENTRIES.add(entry);
    if (thread == null) {
      thread = new Thread(WriteWatch::watch, "coopsim-write-watch");
      thread.setDaemon(true);
      thread.start();
    }
    return entry;
  }

  /** Watches a connection no longer. */
  static void forget(Entry entry) {
    ENTRIES.remove(entry);
  }

  private static void watch() {
    while (isNeeded()) {
      try {
        Thread.sleep(PACE);
      } catch (InterruptedException unexpected) {
        // nobody has this thread
      }
      ENTRIES.forEach(Entry::check);
    }
  }

  private static synchronized boolean isNeeded() {
    if (ENTRIES.isEmpty()) {
      thread = null;
    }
    return thread != null;
  }
}
