package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import java.util.List;

/** Asks what is there, and for something that is not. */
final class Ping01 {
  private static final int LIST = 10;

  public static void main(String[] arguments) throws CoopsimException {
    try (Client sim = new Client()) {
      System.out.println("/robot1/motors is a " + sim.ask("/robot1/motors", 0).params().get(0));
      sim.ask("/sim/names", LIST, List.of("/robot1/")).params().forEach(System.out::println);
      try {
        sim.ask("/robotX/motors", 0);
      } catch (CoopsimException.Refused refused) {
        System.out.println("refused with " + refused.number);
      }
    }
  }
}
