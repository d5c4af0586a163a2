using System;
using System.Linq;
using Coopsim;

/// <summary>Drives three robots by names: commands, readings, parameters and refusals as this language has them.</summary>
static class Typed08 {
    static readonly string[] Robots = {"robot1", "robot2", "robot3"};

    public static void Run(Client sim) {
        new World(sim).Reset();
        using (var stepper = new Stepper(sim, Robots)) {
            Readings seen = null;
            for (var step = 0; step < 40; step++) {
                for (var index = 0; index < Robots.Length; index++) stepper.SetDifferentialDrive(Robots[index], v: 0.1 * (index + 1), w: 0.05);
                seen = stepper.Step();
            }
            foreach (var robot in Robots)
                Console.WriteLine($"{robot}: nearest {seen.Sonars(robot).Ranges.Min():F3} m, speed {seen.DifferentialDrive(robot).V:F3} m/s");
        }
        var pose = new Odometry(sim, "/robot3/odometry").Pose();
        Console.WriteLine($"robot3 is at x {pose.X:F3} m, y {pose.Y:F3} m");
        var sonars = new Sonars(sim, "/robot1/sonars");
        var reach = sonars.GetReach();
        Console.WriteLine($"reach was {reach:F1} m, is {sonars.SetReach(2.0):F1} m");
        sonars.SetReach(reach);
        try {
            new Sonars(sim, "/robotX/sonars").Ranges();
        } catch (Refused refusal) {
            Console.WriteLine($"refused: no such name {(refusal.Number == ErrorCode.NoSuchName ? "true" : "false")}");
        }
    }
}
