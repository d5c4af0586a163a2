using System;
using System.Collections.Generic;
using System.Linq;

namespace Coopsim {

/// <summary>The rows of some robots in a message, and where each value of a row stands.</summary>
sealed class Rows {
    readonly Dictionary<(string, string, string), (int first, int count)> places = new Dictionary<(string, string, string), (int, int)>();

    readonly List<int> starts = new List<int>();

    public int Length { get; private set; }

    /// <summary>Where the row of a robot begins; behind the last one is the end.</summary>
    public int Start(int robot) => robot < starts.Count ? starts[robot] : Length;

    /// <summary>Put the row of a robot behind all others.</summary>
    public void Add(string robot, Dictionary<string, object> kind, string side) {
        starts.Add(Length);
        foreach (List<object> column in (List<object>)kind[side])
            places[(robot, (string)column[0], (string)column[1])] = (Length + Whole(column[3]), Whole(column[4]));
        Length += Whole(kind[side + "_length"]);
    }

    public static int Whole(object value) => (int)(double)value;

    public (int first, int count) Place(string robot, string module, string name) {
        if (!places.TryGetValue((robot, module, name), out var place) || place.first < 0 || place.count < 0 || place.first + place.count > Length)
            throw new Malformed($"{robot} has no {module}.{name} in a step");
        return place;
    }
}

/// <summary>What a step gave.</summary>
public class RawReadings {
    readonly Message reply;
    readonly Rows rows;

    internal RawReadings(Message reply, Rows rows) {
        if (reply.Data.Length != rows.Length || reply.Params.Count == 0)
            throw new Malformed($"{reply.Data.Length} readings instead of {rows.Length}");
        this.reply = reply;
        this.rows = rows;
    }

    /// <summary>The same readings.</summary>
    protected RawReadings(RawReadings raw) { reply = raw.reply; rows = raw.rows; }

    /// <summary>The tick that they are of.</summary>
    public ulong Tick => reply.Tick;

    /// <summary>Robots that had no command for too long.</summary>
    public IEnumerable<object> Stopped => reply.Params.Skip(1);

    /// <summary>A value.</summary>
    public double Number(string robot, string module, string name) => reply.Data[rows.Place(robot, module, name).first];

    /// <summary>A run of values.</summary>
    public double[] Numbers(string robot, string module, string name) {
        var (first, count) = rows.Place(robot, module, name);
        var values = new double[count];
        Array.Copy(reply.Data, first, values, 0, count);
        return values;
    }
}

/// <summary>Steps robots; the last command of one holds until there is another. Disposing gives the robots back.</summary>
public class RawStepper : IDisposable {
    const string Target = "/sim/step";
    const int Layout = 10, Do = 11, Claim = 13, Release = 15, Part = 18, Page = 1000;
    const int MostRobots = 2000, MostValues = 65536; // of one message: shorter than 1 MiB with names of 128 letters
    List<(int first, int end)> groups = new List<(int, int)>(); // of robots, each of which fits one message
    readonly Client client;
    Rows takes = new Rows(), gives = new Rows();
    double[] commands = new double[0];
    long generation;

    /// <summary>Names, in the order of their commands.</summary>
    public IReadOnlyList<string> Robots { get; private set; }

    /// <summary>Claim robots, or all where none is named, and learn what a step of them takes and gives.</summary>
    protected RawStepper(Client client, params string[] robots) {
        this.client = client;
        Robots = robots;
        Learn();
        foreach (var group in groups) client.Ask(Target, Claim, Names(group));
    }

    /// <summary>Ask what a step takes and gives; commands begin with 0.</summary>
    void Learn() {
        try {
            var kinds = new Dictionary<string, Dictionary<string, object>>();
            var names = new List<string>();
            for (var count = Page; count == Page;) {
                var reply = client.Ask(Target, Layout, new object[] {names.Count, Page});
                var page = Json.Parse(Values.TextAt(reply, 0)) as Dictionary<string, object> ?? throw new InvalidCastException("no dictionary");
                var robots = (List<object>)page["robots"];
                foreach (List<object> robot in robots) {
                    names.Add((string)robot[0]);
                    kinds[(string)robot[0]] = (Dictionary<string, object>)((Dictionary<string, object>)page["types"])[(string)robot[1]];
                }
                (count, generation) = (robots.Count, Rows.Whole(page["generation"]));
            }
            if (Robots.Count == 0) Robots = names;
            (takes, gives) = (RowsOf(kinds, "takes"), RowsOf(kinds, "gives"));
        } catch (Exception problem) when (problem is InvalidCastException || problem is KeyNotFoundException || problem is ArgumentException || problem is NullReferenceException) {
            throw new Malformed("expected a layout as JSON: " + problem.Message);
        }
        commands = new double[takes.Length];
        groups = Groups();
    }

    List<(int, int)> Groups() {
        var (fitting, first) = (new List<(int, int)>(), 0);
        for (var last = 0; last < Robots.Count; last++) {
            var size = Math.Max(takes.Start(last + 1) - takes.Start(first), gives.Start(last + 1) - gives.Start(first));
            if (last - first < MostRobots && size <= MostValues) continue;
            fitting.Add((first, last));
            first = last;
        }
        fitting.Add((first, Robots.Count));
        return fitting;
    }

    IEnumerable<string> Names((int first, int end) group) => Robots.Skip(group.first).Take(group.end - group.first);

    Rows RowsOf(Dictionary<string, Dictionary<string, object>> kinds, string side) {
        var rows = new Rows();
        foreach (var robot in Robots) rows.Add(robot, kinds[robot], side);
        return rows;
    }

    /// <summary>Set a value, or a run of values, of the next command of a robot.</summary>
    public void Put(string robot, string module, string name, params double[] values) {
        var (first, count) = takes.Place(robot, module, name);
        if (values.Length != count) throw new ArgumentException($"{module}.{name} takes {count} values, got {values.Length}");
        values.CopyTo(commands, first);
    }

    /// <summary>Do a step; when the scene has changed, robots begin anew with commands of 0.</summary>
    public RawReadings RawStep() {
        try {
            return Asked();
        } catch (Refused refusal) when (refusal.Number == ErrorCode.StaleLayout) {
            Learn();
            return Asked();
        }
    }

    /// <summary>Robots that fit no message together are stepped in parts, by one tick for all.</summary>
    RawReadings Asked() {
        if (groups.Count == 1) return new RawReadings(client.Ask(Target, Do, Values.Flat(generation, Robots), commands), gives);
        var replies = client.AskAll(groups.Select(group => Request(group)));
        var stopped = replies.SelectMany(reply => reply.Params.Skip(1));
        return new RawReadings(new Message {
            Tick = replies[0].Tick, Params = Values.Flat(generation, stopped), Data = replies.SelectMany(reply => reply.Data).ToArray()
        }, gives);
    }

    Message Request((int first, int end) group) {
        var (start, end) = (takes.Start(group.first), takes.Start(group.end));
        var part = new double[end - start];
        Array.Copy(commands, start, part, 0, part.Length);
        var command = group.end == Robots.Count ? Do : Part;
        return new Message { Target = Target, Command = (ulong)command, Params = Values.Flat(generation, Names(group)), Data = part };
    }

    /// <summary>Give the robots back.</summary>
    public void Dispose() {
        foreach (var group in groups) client.Ask(Target, Release, Names(group));
    }
}

}
