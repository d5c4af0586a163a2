package coopsim;

import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * A state of the stream.
 *
 * @param poses x y z and a quaternion w x y z of each body, by its name
 * @param readings of each robot, by its name
 */
public record State(
    String topic, long tick, double time, long run, long generation, long revision, String mode, boolean isPaused,
    boolean hasEnded, Map<String, double[]> poses, Map<String, double[]> readings) {
  private static final int FIRST_NAME = 8;
  private static final int POSE = 7;

  /** Returns the state that a message tells which {@link Client#state} brought. */
  public static State of(Message message) {
    long bodies = Values.wholeAt(message, 6);
    long robots = Values.wholeAt(message, 7);
    int rest = message.params().size() - FIRST_NAME;
    if (bodies < 0 || robots < 0 || bodies > rest || robots > rest || bodies + 2 * robots != rest) {
      throw new CoopsimException.Malformed(
          "a state with " + message.params().size() + " params for " + bodies + " bodies and " + robots + " robots");
    }
    double time = Values.numberAt(message, 0);
    Data data = new Data(message, 1);
    Map<String, double[]> poses = new LinkedHashMap<>();
    int firstRobot = FIRST_NAME + (int) bodies;
    for (int place = FIRST_NAME; place < firstRobot; place++) {
      poses.put(Values.textAt(message, place), data.next(POSE));
    }
    Map<String, double[]> readings = new HashMap<>();
    for (int place = firstRobot; place < firstRobot + (int) robots; place++) {
      readings.put(Values.textAt(message, place), data.next(Values.wholeAt(message, place + (int) robots)));
    }
    return new State(
        message.target(), message.tick(), time, Values.wholeAt(message, 0), Values.wholeAt(message, 1),
        Values.wholeAt(message, 2), Values.textAt(message, 3), Values.wholeAt(message, 4) == 1,
        Values.wholeAt(message, 5) == 1, poses, readings);
  }
}
