using System;
using System.Linq;
using Coopsim;

/// <summary>Three robots keep abreast of each other: one message a step has the commands of all and brings back all readings.</summary>
static class FormationBatch05 {
    const int Reset = 14, Layout = 10, Step = 11, Claim = 13, Release = 15, Pose = 10, Steps = 60;
    static readonly string[] Robots = {"robot1", "robot2", "robot3"};

    public static void Run(Client sim) {
        sim.Ask("/sim/world", Reset);
        var lengths = sim.Ask("/sim/step", Layout).Data;
        sim.Ask("/sim/step", Claim, Robots);
        double[] readings = {};
        for (var step = 0; step < Steps; step++) {
            var turn = step % 80 < 40 ? 0.25 : -0.25;
            readings = sim.Ask("/sim/step", Step, new object[] {0}.Concat(Robots), 0.25, turn, 0.3125, turn, 0.375, turn).Data;
        }
        Console.WriteLine($"{readings.Length} readings a step, {lengths[1]} of each robot");
        foreach (var name in Robots) {
            var pose = sim.Ask($"/{name}/odometry", Pose).Data;
            Console.WriteLine($"{name}: x {pose[0]:0.000} m, y {pose[1]:0.000} m");
        }
        sim.Ask("/sim/step", Release);
    }
}
