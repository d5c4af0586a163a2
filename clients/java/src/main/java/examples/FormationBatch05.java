package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.List;

/** Three robots keep abreast of each other: one message a step has all commands and brings back all readings. */
final class FormationBatch05 {
  private static final int RESET = 14;
  private static final int LAYOUT = 10;
  private static final int STEP = 11;
  private static final int CLAIM = 13;
  private static final int RELEASE = 15;
  private static final int POSE = 10;
  private static final int STEPS = 60;

  public static void main(String[] arguments) throws CoopsimException {
    List<String> robots = List.of("robot1", "robot2", "robot3");
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      double[] lengths = sim.ask("/sim/step", LAYOUT).data();
      sim.ask("/sim/step", CLAIM, robots);
      double[] readings = {};
      for (int step = 0; step < STEPS; step++) {
        double turn = step % 80 < 40 ? 0.25 : -0.25;
        List<Object> named = List.of(0, "robot1", "robot2", "robot3");
        readings = sim.ask("/sim/step", STEP, named, 0.25, turn, 0.3125, turn, 0.375, turn).data();
      }
      System.out.printf("%d readings a step, %.0f of each robot%n", readings.length, lengths[1]);
      for (String name : robots) {
        double[] pose = sim.ask("/" + name + "/odometry", POSE).data();
        System.out.printf("%s: x %.3f m, y %.3f m%n", name, pose[0], pose[1]);
      }
      sim.ask("/sim/step", RELEASE);
    }
  }
}
