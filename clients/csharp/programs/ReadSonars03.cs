using System;
using System.Linq;
using Coopsim;

/// <summary>Reads the distances around a robot, and changes how far it sees.</summary>
static class ReadSonars03 {
    const int Reset = 14, Ranges = 10, GetParameter = 2, SetParameter = 3;

    public static void Run(Client sim) {
        sim.Ask("/sim/world", Reset);
        var distances = sim.Ask("/robot1/sonars", Ranges).Data;
        Console.WriteLine("ranges " + string.Join(" ", distances.Select(distance => $"{distance:0.000}")));
        var reach = sim.Ask("/robot1/sonars", GetParameter, new[] {"reach"}).Params[0];
        var changed = sim.Ask("/robot1/sonars", SetParameter, new object[] {"reach", 2.0}).Params[0];
        Console.WriteLine($"reach was {reach:0.0} m, is {changed:0.0} m");
        sim.Ask("/robot1/sonars", SetParameter, new object[] {"reach", reach});
    }
}
