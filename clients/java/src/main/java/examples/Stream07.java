package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import coopsim.Message;
import java.util.List;

/** Sees every state of a robot without asking for it. */
final class Stream07 {
  private static final int RESET = 14;
  private static final int SUBSCRIBE = 11;
  private static final int CLAIM = 13;
  private static final int STEP = 11;
  private static final int RELEASE = 15;
  private static final int FIRST_NAME = 8; // of the params of a state; the values of the body follow the time

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      sim.ask("/sim/step", CLAIM, List.of("robot1"));
      sim.ask("/sim/info", SUBSCRIBE, List.of("/robot1"));
      for (int number = 1; number <= 50; number++) {
        long tick = sim.ask("/sim/step", STEP, List.of(0, "robot1"), 0.4, 0.1).tick();
        Message state = sim.state();
        while (state.tick() < tick) {
          state = sim.state();
        }
        if (number % 10 == 0) {
          double[] data = state.data();
          Object name = state.params().get(FIRST_NAME);
          System.out.printf("step %d: %s is at x %.3f m, y %.3f m%n", number, name, data[1], data[2]);
        }
      }
      sim.ask("/sim/step", RELEASE);
    }
  }
}
