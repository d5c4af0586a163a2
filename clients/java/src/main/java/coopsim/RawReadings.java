package coopsim;

import java.util.Arrays;
import java.util.List;

/** What a step gave. */
public class RawReadings {
  private final Message reply;
  private final Rows rows;

  RawReadings(Message reply, Rows rows) {
    if (reply.data().length != rows.length() || reply.params().isEmpty()) {
      throw new CoopsimException.Malformed(reply.data().length + " readings instead of " + rows.length());
    }
    this.reply = reply;
    this.rows = rows;
  }

  /** Makes the same readings. */
  protected RawReadings(RawReadings raw) {
    reply = raw.reply;
    rows = raw.rows;
  }

  /** Returns the tick that they are of. */
  public long tick() {
    return reply.tick();
  }

  /** Returns the robots that had no command for too long. */
  public List<Object> stopped() {
    return reply.params().subList(1, reply.params().size());
  }

  /** Returns one value. */
  public double number(String robot, String module, String name) {
    return reply.data()[rows.span(robot, module, name).first()];
  }

  /** Returns a run of values. */
  public double[] numbers(String robot, String module, String name) {
    Rows.Span span = rows.span(robot, module, name);
    return Arrays.copyOfRange(reply.data(), span.first(), span.end());
  }
}
