using System;
using Coopsim;

/// <summary>Sees every state of a robot without asking for it.</summary>
static class Stream07 {
    const int Reset = 14, Subscribe = 11, Claim = 13, Step = 11, Release = 15;

    public static void Run(Client sim) {
        sim.Ask("/sim/world", Reset);
        sim.Ask("/sim/step", Claim, new[] {"robot1"});
        sim.Ask("/sim/info", Subscribe, new[] {"/robot1"});
        for (var number = 1; number <= 50; number++) {
            var tick = sim.Ask("/sim/step", Step, new object[] {0, "robot1"}, 0.4, 0.1).Tick;
            var state = State.Of(sim.State());
            while (state.Tick < tick) state = State.Of(sim.State());
            if (number % 10 != 0) continue;
            foreach (var body in state.Poses) {
                Console.WriteLine($"step {number}: {body.Key} is at x {body.Value[0]:0.000} m, y {body.Value[1]:0.000} m");
            }
        }
        sim.Ask("/sim/step", Release);
    }
}
