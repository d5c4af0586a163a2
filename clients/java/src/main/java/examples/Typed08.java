package examples;

import coopsim.Client;
import coopsim.CoopsimException;
import coopsim.modules.ErrorCode;
import coopsim.modules.Odometry;
import coopsim.modules.Readings;
import coopsim.modules.Sonars;
import coopsim.modules.Stepper;
import coopsim.modules.World;
import java.util.Arrays;

/** Drives three robots by names: commands, readings, parameters and refusals as this language has them. */
final class Typed08 {
  private static final String[] ROBOTS = {"robot1", "robot2", "robot3"};

  public static void main(String[] arguments) {
    try (Client sim = new Client()) {
      new World(sim).reset();
      try (Stepper stepper = new Stepper(sim, ROBOTS)) {
        Readings seen = null;
        for (int step = 0; step < 40; step++) {
          for (int index = 0; index < ROBOTS.length; index++) {
            stepper.setDifferentialDrive(ROBOTS[index], 0.1 * (index + 1), 0.05);
          }
          seen = stepper.step();
        }
        for (String robot : ROBOTS) {
          double nearest = Arrays.stream(seen.sonars(robot).ranges()).min().orElseThrow();
          System.out.printf("%s: nearest %.3f m, speed %.3f m/s%n", robot, nearest, seen.differentialDrive(robot).v());
        }
      }
      Odometry.PoseReply pose = new Odometry(sim, "/robot3/odometry").pose();
      System.out.printf("robot3 is at x %.3f m, y %.3f m%n", pose.x(), pose.y());
      Sonars sonars = new Sonars(sim, "/robot1/sonars");
      double reach = sonars.getReach();
      System.out.printf("reach was %.1f m, is %.1f m%n", reach, sonars.setReach(2.0));
      sonars.setReach(reach);
      try {
        new Sonars(sim, "/robotX/sonars").ranges();
      } catch (CoopsimException.Refused refusal) {
        System.out.printf("refused: no such name %b%n", refusal.number == ErrorCode.NO_SUCH_NAME);
      }
    }
  }
}
