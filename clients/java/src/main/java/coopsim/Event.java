package coopsim;

import java.util.ArrayList;
import java.util.List;

/**
 * What a program, or the simulation, published.
 *
 * @param number of this connection; one that is left out is an event that was lost
 */
public record Event(long number, String topic, String source, String text, long tick, double[] data) {
  private static final int PARAMS = 5;

  /** Returns the events of a message that {@link Client#state} brought from {@code /sim/events}. */
  public static List<Event> of(Message message) {
    List<Event> events = new ArrayList<>();
    Data data = new Data(message, 0);
    long number = Values.wholeAt(message, 0);
    for (int place = 1; place < message.params().size(); place += PARAMS) {
      String topic = Values.textAt(message, place);
      String source = Values.textAt(message, place + 1);
      String text = Values.textAt(message, place + 2);
      double[] values = data.next(Values.wholeAt(message, place + 4));
      events.add(new Event(number++, topic, source, text, Values.wholeAt(message, place + 3), values));
    }
    return events;
  }
}
