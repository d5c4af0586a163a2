using System;
using Coopsim;

/// <summary>Shows moments of a recording (`coopsim replay FILE`), which nobody can drive.</summary>
static class ReplaySeek06 {
    const int Pause = 13, Seek = 14, Pose = 10, SetVelocity = 10;

    public static void Run(Client sim) {
        sim.Ask("/sim/playback", Pause);
        foreach (var moment in new[] {1.0, 2.0, 0.5}) {
            var shown = sim.Ask("/sim/playback", Seek, null, moment).Data[0];
            var pose = sim.Ask("/robot1/odometry", Pose).Data;
            Console.WriteLine($"{shown:0.00} s: x {pose[0]:0.000} m, y {Fixed(pose[1])} m");
        }
        try {
            sim.Ask("/robot1/motors", SetVelocity, null, 0.3, 0.0);
        } catch (Refused problem) {
            Console.WriteLine("refused with " + problem.Number);
        }
    }

    /// <summary>Three digits, with the sign of a zero as other languages write it.</summary>
    static string Fixed(double value) => (value < 0 && value > -0.0005 ? "-" : "") + $"{value:0.000}";
}
