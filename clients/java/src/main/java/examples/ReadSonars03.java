package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.List;

/** Reads the distances around a robot, and changes how far it sees. */
final class ReadSonars03 {
  private static final int RESET = 14;
  private static final int RANGES = 10;
  private static final int GET_PARAMETER = 2;
  private static final int SET_PARAMETER = 3;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      sim.ask("/sim/world", RESET);
      System.out.print("ranges");
      for (double distance : sim.ask("/robot1/sonars", RANGES).data()) {
        System.out.printf(" %.3f", distance);
      }
      System.out.println();
      Object reach = sim.ask("/robot1/sonars", GET_PARAMETER, List.of("reach")).params().get(0);
      Object changed = sim.ask("/robot1/sonars", SET_PARAMETER, List.of("reach", 2.0)).params().get(0);
      System.out.printf("reach was %.1f m, is %.1f m%n", reach, changed);
      sim.ask("/robot1/sonars", SET_PARAMETER, List.of("reach", reach));
    }
  }
}
