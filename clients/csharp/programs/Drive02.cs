using System;
using Coopsim;

/// <summary>Drives a robot in an arc, one request after the other.</summary>
static class Drive02 {
    const int Reset = 14, Release = 15, SetVelocity = 10, Stop = 12, Pose = 10;

    public static void Run(Client sim) {
        sim.Ask("/sim/world", Reset);
        double[] pose = {};
        for (var step = 0; step < 100; step++) {
            sim.Ask("/robot1/motors", SetVelocity, null, 0.4, 0.2);
            pose = sim.Ask("/robot1/odometry", Pose).Data;
        }
        sim.Ask("/robot1/motors", Stop);
        Console.WriteLine($"robot1 drove to x {pose[0]:0.000} m, y {pose[1]:0.000} m, heading {pose[2]:0.000} rad");
        sim.Ask("/sim/step", Release);
    }
}
