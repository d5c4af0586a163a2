package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.Arrays;
import java.util.List;

/** Wanders without a collision: in lockstep each reading is of the step that the last command made. */
final class WanderLockstep04 {
  private static final int RESET = 14;
  private static final int RELEASE = 15;
  private static final int RANGES = 10;
  private static final int SET_VELOCITY = 10;
  private static final int POSE = 10;
  private static final int STEPS = 90;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      for (int step = 1; step <= STEPS; step++) {
        double[] ranges = sim.ask("/robot1/sonars", RANGES).data();
        sim.ask("/robot1/motors", SET_VELOCITY, List.of(), decide(ranges));
        if (step % 30 == 0) {
          double[] pose = sim.ask("/robot1/odometry", POSE).data();
          System.out.printf("step %d: x %.3f m, y %.3f m%n", step, pose[0], pose[1]);
        }
      }
      sim.ask("/sim/step", RELEASE);
    }
  }

  /** Return v and w: forward, turning to the side with more room. */
  private static double[] decide(double[] ranges) {
    int middle = ranges.length / 2;
    double right = least(ranges, 0, middle + 1);
    double left = least(ranges, middle, ranges.length);
    if (least(ranges, middle - 1, middle + 2) < 0.6) {
      return new double[] {0.0, left >= right ? 0.8 : -0.8};
    }
    return new double[] {0.4, 0.4 * (left - right) / (left + right + 0.1)};
  }

  private static double least(double[] ranges, int from, int to) {
    return Arrays.stream(ranges, from, to).min().orElseThrow();
  }
}
