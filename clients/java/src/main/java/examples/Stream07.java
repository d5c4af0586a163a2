package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import coopsim.State;
import java.util.List;
import java.util.Map;

/** Sees every state of a robot without asking for it. */
final class Stream07 {
  private static final int RESET = 14;
  private static final int SUBSCRIBE = 11;
  private static final int CLAIM = 13;
  private static final int STEP = 11;
  private static final int RELEASE = 15;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      sim.ask("/sim/step", CLAIM, List.of("robot1"));
      sim.ask("/sim/info", SUBSCRIBE, List.of("/robot1"));
      for (int number = 1; number <= 50; number++) {
        long tick = sim.ask("/sim/step", STEP, List.of(0, "robot1"), 0.4, 0.1).tick();
        State state = State.of(sim.state());
        while (state.tick() < tick) {
          state = State.of(sim.state());
        }
        if (number % 10 == 0) {
          for (Map.Entry<String, double[]> body : state.poses().entrySet()) {
            double[] pose = body.getValue();
            System.out.printf("step %d: %s is at x %.3f m, y %.3f m%n", number, body.getKey(), pose[0], pose[1]);
          }
        }
      }
      sim.ask("/sim/step", RELEASE);
    }
  }
}
