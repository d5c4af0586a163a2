using System;
using System.Collections.Generic;

namespace Coopsim {

/// <summary>The data of a message, run by run.</summary>
sealed class DataRuns {
    readonly double[] all;
    int behind;

    public DataRuns(Message message, int first) {
        all = message.Data;
        behind = Math.Min(first, all.Length);
    }

    /// <summary>The next values, so many.</summary>
    public double[] Next(long count) {
        if (count < 0 || count > all.Length - behind) throw new Malformed($"{count} values where {all.Length - behind} are left");
        var values = new double[count];
        Array.Copy(all, behind, values, 0, count);
        behind += (int)count;
        return values;
    }
}

/// <summary>What a program, or the simulation, published.</summary>
public sealed class Event {
    const int ParamsOfEvent = 5;

    /// <summary>Of this connection; one that is left out is an event that was lost.</summary>
    public long Number { get; private set; }
    /// <summary>Where it was published.</summary>
    public string Topic { get; private set; } = "";
    /// <summary>Who published it, as the server knows them.</summary>
    public string Source { get; private set; } = "";
    /// <summary>What it says.</summary>
    public string Text { get; private set; } = "";
    /// <summary>When it was published.</summary>
    public long Tick { get; private set; }
    /// <summary>Its values.</summary>
    public double[] Data { get; private set; } = new double[0];

    /// <summary>The events of a message that Client.State brought from /sim/events.</summary>
    public static IReadOnlyList<Event> Of(Message message) {
        var events = new List<Event>();
        var data = new DataRuns(message, 0);
        var number = Values.WholeAt(message, 0);
        for (var place = 1; place < message.Params.Count; place += ParamsOfEvent)
            events.Add(new Event {
                Number = number++, Topic = Values.TextAt(message, place), Source = Values.TextAt(message, place + 1),
                Text = Values.TextAt(message, place + 2), Tick = Values.WholeAt(message, place + 3),
                Data = data.Next(Values.WholeAt(message, place + 4))
            });
        return events;
    }
}

/// <summary>A state of the stream.</summary>
public sealed class State {
    const int FirstName = 8, Pose = 7;
    readonly Dictionary<string, double[]> poses = new Dictionary<string, double[]>(), readings = new Dictionary<string, double[]>();

    /// <summary>What was subscribed to.</summary>
    public string Topic { get; private set; } = "";
    /// <summary>The tick that it is of.</summary>
    public ulong Tick { get; private set; }
    /// <summary>Since the beginning [s].</summary>
    public double Time { get; private set; }
    /// <summary>Number of the run.</summary>
    public long Run { get; private set; }
    /// <summary>It grows when robots, devices or looks change.</summary>
    public long Generation { get; private set; }
    /// <summary>It grows with each change of the scene.</summary>
    public long Revision { get; private set; }
    /// <summary>Of the clock.</summary>
    public string Mode { get; private set; } = "";
    /// <summary>Whether the clock stands.</summary>
    public bool IsPaused { get; private set; }
    /// <summary>Whether the run is over.</summary>
    public bool HasEnded { get; private set; }
    /// <summary>x y z and a quaternion w x y z of each body, by its name.</summary>
    public IReadOnlyDictionary<string, double[]> Poses => poses;
    /// <summary>Readings of each robot, by its name.</summary>
    public IReadOnlyDictionary<string, double[]> Readings => readings;

    /// <summary>The state that a message tells which Client.State brought.</summary>
    public static State Of(Message message) {
        long bodies = Values.WholeAt(message, 6), robots = Values.WholeAt(message, 7), rest = message.Params.Count - FirstName;
        if (bodies < 0 || robots < 0 || bodies > rest || robots > rest || bodies + 2 * robots != rest)
            throw new Malformed($"a state with {message.Params.Count} params for {bodies} bodies and {robots} robots");
        var state = new State {
            Topic = message.Target, Tick = message.Tick, Time = Values.NumberAt(message, 0), Run = Values.WholeAt(message, 0),
            Generation = Values.WholeAt(message, 1), Revision = Values.WholeAt(message, 2), Mode = Values.TextAt(message, 3),
            IsPaused = Values.WholeAt(message, 4) == 1, HasEnded = Values.WholeAt(message, 5) == 1
        };
        var data = new DataRuns(message, 1);
        var firstRobot = FirstName + (int)bodies;
        for (var place = FirstName; place < firstRobot; place++) state.poses[Values.TextAt(message, place)] = data.Next(Pose);
        for (var place = firstRobot; place < firstRobot + (int)robots; place++)
            state.readings[Values.TextAt(message, place)] = data.Next(Values.WholeAt(message, place + (int)robots));
        return state;
    }
}

}
