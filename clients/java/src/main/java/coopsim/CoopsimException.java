package coopsim;

import java.util.List;

/** What goes wrong between this program and the simulation. */
public abstract class CoopsimException extends RuntimeException {
  private CoopsimException(String message) {
    super(message);
  }

  /** The server refuses; the number says why (protocol, section 11), the params what a program needs. */
  public static final class Refused extends CoopsimException {
    public final int number;
    public final transient List<Object> params;

    Refused(Message reply) {
      this(reply.error(), reply.text(), reply.params());
    }

    Refused(int number, String text, List<Object> params) {
      super("error " + number + ": " + text);
      this.number = number;
      this.params = params;
    }
  }

  /** No reply came in time. */
  public static final class Silent extends CoopsimException {
    Silent() {
      super("no reply in time: is the simulation paused, or waiting for another robot?");
    }
  }

  /** There is no connection; connect anew. */
  public static final class Lost extends CoopsimException {
    public Lost(String why) {
      super("the simulation is gone, or was never there: " + why);
    }
  }

  /** The server sent something that is no message. */
  public static final class Malformed extends CoopsimException {
    Malformed(String why) {
      super("the server sent no message: " + why);
    }
  }
}
