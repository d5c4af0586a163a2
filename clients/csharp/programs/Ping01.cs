using System;
using Coopsim;

/// <summary>Asks what is there, and for something that is not.</summary>
static class Ping01 {
    const int List = 10;

    public static void Run(Client sim) {
        Console.WriteLine("/robot1/motors is a " + sim.Ask("/robot1/motors", 0).Params[0]);
        foreach (var name in sim.Ask("/sim/names", List, new[] {"/robot1/"}).Params) Console.WriteLine(name);
        try {
            sim.Ask("/robotX/motors", 0);
        } catch (Refused problem) {
            Console.WriteLine("refused with " + problem.Number);
        }
    }
}
