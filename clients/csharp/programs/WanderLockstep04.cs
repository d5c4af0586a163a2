using System;
using System.Linq;
using Coopsim;

/// <summary>Wanders without a collision: in lockstep each reading is of the step that the last command made.</summary>
static class WanderLockstep04 {
    const int Reset = 14, Release = 15, Ranges = 10, SetVelocity = 10, Pose = 10, Steps = 90;

    public static void Run(Client sim) {
        sim.Ask("/sim/world", Reset);
        for (var step = 1; step <= Steps; step++) {
            var ranges = sim.Ask("/robot1/sonars", Ranges).Data;
            sim.Ask("/robot1/motors", SetVelocity, null, Decide(ranges));
            if (step % 30 == 0) {
                var pose = sim.Ask("/robot1/odometry", Pose).Data;
                Console.WriteLine($"step {step}: x {pose[0]:0.000} m, y {pose[1]:0.000} m");
            }
        }
        sim.Ask("/sim/step", Release);
    }

    /// <summary>v and w: forward, turning to the side with more room.</summary>
    static double[] Decide(double[] ranges) {
        var middle = ranges.Length / 2;
        double right = ranges.Take(middle + 1).Min(), left = ranges.Skip(middle).Min();
        if (ranges.Skip(middle - 1).Take(3).Min() < 0.6) return new[] {0.0, left >= right ? 0.8 : -0.8};
        return new[] {0.4, 0.4 * (left - right) / (left + right + 0.1)};
    }
}
