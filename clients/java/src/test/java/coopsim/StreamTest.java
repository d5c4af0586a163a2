package coopsim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests of events and states. */
final class StreamTest {
  private static Message message(List<Object> params, double... data) {
    return new Message(0, "/sim/state", 9, 0, "", 11, params, data, 0);
  }

  @Test
  void eventsAndStatesHaveNames() {
    List<Event> events = Event.of(message(List.of(4L, "/a", "x", "hi", 8L, 2L, "/b", "y", "", 9L, 0L), 1, 2));
    assertEquals(List.of(4L, 5L), events.stream().map(Event::number).toList());
    assertEquals(List.of("hi", ""), events.stream().map(Event::text).toList());
    assertArrayEquals(new double[] {1, 2}, events.get(0).data());
    List<Object> params = List.of(7L, 1L, 2L, "free", 0L, 1L, 1L, 1L, "box", "robot1", 2L);
    State state = State.of(message(params, 0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4));
    assertTrue(state.hasEnded() && !state.isPaused());
    assertEquals(6, state.poses().get("box")[6]);
    assertArrayEquals(new double[] {3, 4}, state.readings().get("robot1"));
  }

  @Test
  void messagesThatTellNoEventsAndNoStateAreMalformed() {
    for (Object count : List.of(-1L, 3L, Long.MAX_VALUE, "two")) {
      Message events = message(List.of(4L, "/a", "x", "hi", 8L, count), 1, 2);
      assertThrows(CoopsimException.Malformed.class, () -> Event.of(events), count.toString());
      Message state = message(List.of(7L, 1L, 2L, "free", 0L, 1L, count, 0L, "box"), 0.5);
      assertThrows(CoopsimException.Malformed.class, () -> State.of(state), count.toString());
    }
    assertThrows(CoopsimException.Malformed.class, () -> State.of(message(List.of())));
  }
}
