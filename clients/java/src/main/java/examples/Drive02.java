package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.List;

/** Drives a robot in an arc, one request after the other. */
final class Drive02 {
  private static final int RESET = 14;
  private static final int RELEASE = 15;
  private static final int SET_VELOCITY = 10;
  private static final int STOP = 12;
  private static final int POSE = 10;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      double[] pose = {};
      for (int step = 0; step < 100; step++) {
        sim.ask("/robot1/motors", SET_VELOCITY, List.of(), 0.4, 0.2);
        pose = sim.ask("/robot1/odometry", POSE).data();
      }
      sim.ask("/robot1/motors", STOP);
      System.out.printf("robot1 drove to x %.3f m, y %.3f m, heading %.3f rad%n", pose[0], pose[1], pose[2]);
      sim.ask("/sim/step", RELEASE);
    }
  }
}
