package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.List;

/** Shows moments of a recording (`coopsim replay FILE`), which nobody can drive. */
final class ReplaySeek06 {
  private static final int PAUSE = 13;
  private static final int SEEK = 14;
  private static final int POSE = 10;
  private static final int SET_VELOCITY = 10;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/playback", PAUSE);
      for (double moment : new double[] {1.0, 2.0, 0.5}) {
        double shown = sim.ask("/sim/playback", SEEK, List.of(), moment).data()[0];
        double[] pose = sim.ask("/robot1/odometry", POSE).data();
        System.out.printf("%.2f s: x %.3f m, y %.3f m%n", shown, pose[0], pose[1]);
      }
      try {
        sim.ask("/robot1/motors", SET_VELOCITY, List.of(), 0.3, 0.0);
      } catch (CoopsimException.Refused refused) {
        System.out.println("refused with " + refused.number);
      }
    }
  }
}
