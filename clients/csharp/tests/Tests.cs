using System;
using System.Collections.Concurrent;
using System.Collections.Generic;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using Coopsim;

/// <summary>A server that answers PING with a run, and all else as a function says.</summary>
sealed class Server : IDisposable {
    readonly TcpListener listener = new TcpListener(IPAddress.Loopback, 0);
    public readonly BlockingCollection<Message> Requests = new BlockingCollection<Message>();

    /// <summary>How often it was asked for its run.</summary>
    public int Pings;
    readonly KeyFiles keys;

    public Server(Func<Message, Message> answer, KeyFiles keys = null) {
        this.keys = keys;
        listener.Start();
        new Thread(() => Serve(answer)) { IsBackground = true }.Start();
    }

    void Serve(Func<Message, Message> answer) {
        try {
            using (var client = listener.AcceptSocket())
            using (var stream = keys == null ? new NetworkStream(client) : (Stream)new ServerTls(client, keys)) {
                while (true) {
                    var asked = Message.Decode(Read(stream, IPAddress.NetworkToHostOrder(BitConverter.ToInt32(Read(stream, 4), 0))));
                    var told = asked.Command == 0 ? Tests.Reply(new object[] {"clock", 77}, 1, 0) : answer(asked);
                    if (asked.Command != 0) Requests.Add(asked);
                    else Pings++;
                    if (told == null) continue; // no reply
                    (told.Id, told.Tick) = (asked.Id, 5);
                    var raw = told.Encode();
                    stream.Write(BitConverter.GetBytes(IPAddress.HostToNetworkOrder(raw.Length)), 0, 4);
                    stream.Write(raw, 0, raw.Length);
                }
            }
        } catch (Exception end) when (end is IOException || end is SocketException || end is InvalidOperationException) {
            Requests.CompleteAdding();
        }
    }

    static byte[] Read(Stream stream, int count) {
        var raw = new byte[count];
        for (var filled = 0; filled < count;) {
            var part = stream.Read(raw, filled, count - filled);
            filled += part > 0 ? part : throw new IOException("the client has gone");
        }
        return raw;
    }

    public Client Client(Keys ours = null, double timeout = 30) => new Client("127.0.0.1:" + ((IPEndPoint)listener.LocalEndpoint).Port, timeout, ours);

    public void Dispose() => listener.Stop();
}

/// <summary>Tests that need no simulation; prints what failed, and ends with how many did.</summary>
static class Tests {
    const string Layout = @"{""generation"": 1, ""types"": {""t"": {""takes"": [[""motors"", ""v"", ""m/s"", 0, 1], [""motors"", ""w"", ""rad/s"", 1, 1]],
        ""takes_length"": 2, ""gives"": [[""sonars"", ""ranges"", ""m"", 0, 2]], ""gives_length"": 2}}, ""robots"": [[""robot1"", ""t""]]}";
    static int failures;

    public static Message Reply(IEnumerable<object> given, params double[] data) => new Message { Params = given.ToList(), Data = data };

    static Message Refusal(ulong number) => new Message { Error = number };

    public static void Check(bool isRight, string what) {
        if (!isRight) Console.WriteLine("failed: " + what);
        failures += isRight ? 0 : 1;
    }

    public static void Throws<T>(Action action, string what) where T : Exception {
        try {
            action();
            Check(false, what);
        } catch (T) {
            Check(true, what);
        }
    }

    static void With(Func<Message, Message> answer, Action<Client, Server> test) {
        using (var server = new Server(answer))
        using (var sim = server.Client()) test(sim, server);
    }

    static int Main() {
        With(asked => Reply(new object[0]), (sim, server) => {
            Check(new DifferentialDrive(sim, "/robot1/motors").SetVelocity(w: 0.25) == 5, "a command gives the tick");
            var asked = server.Requests.Take();
            Check(asked.Command == 10 && asked.Data.SequenceEqual(new[] {0, 0.25}), "a command sends its number and values");
        });
        With(asked => Reply(new object[0], 1, 2, 3, 4, 5, 6), (sim, server) => {
            var seen = new Joints(sim, "/arm/arm").State();
            Check(seen.Positions.SequenceEqual(new[] {1.0, 2}) && seen.Efforts.SequenceEqual(new[] {5.0, 6}), "runs share what came");
        });
        With(asked => Reply(new object[] {"lockstep"}), (sim, server) => {
            Throws<Malformed>(() => new Clock(sim).Status(), "too few values");
            Throws<Malformed>(() => new Sonars(sim, "/robot1/sonars").GetReach(), "a text for a number");
        });
        With(asked => Refusal(ErrorCode.NoSuchName), (sim, server) => {
            try {
                new Sonars(sim, "/robotX/sonars").Ranges();
                Check(false, "a refusal");
            } catch (Refused refusal) {
                Check(refusal.Number == ErrorCode.NoSuchName, "the number of a refusal");
            }
        });
        Cancels();
        Steps();
        Streams();
        TlsTests.Run();
        foreach (var text in new[] {"", "[1", "{\"a\" 1}", "[1] 2", "[\"", new string('[', 40), "tru", "[1e]"})
            With(asked => Reply(new object[] {text}), (sim, server) => Throws<Malformed>(() => new Stepper(sim), "no JSON: " + text));
        Console.WriteLine($"{failures} failed");
        return failures;
    }

    static void Cancels() {
        With(asked => asked.Command == 10 ? Reply(new object[0], 1, 2) : null, (sim, server) => {
            using (var source = new CancellationTokenSource()) {
                var impatient = new Thread(() => {
                    server.Requests.Take();
                    source.Cancel();
                });
                impatient.Start();
                var patient = sim.Within(TimeSpan.FromSeconds(30), source.Token);
                Throws<OperationCanceledException>(() => patient.Ask("/robot1/sonars", 11), "a token ends a request");
                impatient.Join();
                Throws<OperationCanceledException>(() => patient.AskAsync("/robot1/sonars", 10).GetAwaiter().GetResult(), "and those after it");
            }
            Check(new Sonars(sim, "/robot1/sonars").Ranges().Ranges.SequenceEqual(new[] {1.0, 2}), "a token ends no other requests");
        });
    }

    static Message Told(object[] values, params double[] data) {
        var told = Reply(values, data);
        return Message.Decode(told.Encode());
    }

    static void Streams() {
        var events = Event.Of(Told(new object[] {4, "/a", "x", "hi", 8, 2, "/b", "y", "", 9, 0}, 1, 2));
        Check(events.Count == 2 && events[0].Text == "hi" && events[0].Data.SequenceEqual(new[] {1.0, 2}), "an event");
        Check(events[1].Number == 5 && events[1].Topic == "/b" && events[1].Data.Length == 0, "the next event");
        var state = State.Of(Told(new object[] {7, 1, 2, "free", 0, 1, 1, 1, "box", "robot1", 2}, 0.5, 0, 1, 2, 3, 4, 5, 6, 3, 4));
        Check(state.HasEnded && !state.IsPaused && state.Poses["box"][6] == 6, "a state");
        Check(state.Readings["robot1"].SequenceEqual(new[] {3.0, 4}), "readings of a state");
        foreach (var count in new object[] {-1, 3, long.MaxValue, "two"}) {
            Throws<Malformed>(() => Event.Of(Told(new object[] {4, "/a", "x", "hi", 8, count}, 1, 2)), $"no events: {count}");
            Throws<Malformed>(() => State.Of(Told(new object[] {7, 1, 2, "free", 0, 1, count, 0, "box"}, 0.5)), $"no state: {count}");
        }
        Throws<Malformed>(() => State.Of(Told(new object[0])), "an empty state");
    }

    static void Steps() {
        var generation = 0;
        Func<Message, Message> answer = asked => {
            if (asked.Command == 10) return Reply(new object[] {Layout.Replace("\"generation\": 1", $"\"generation\": {++generation}")});
            if (asked.Command != 11) return Reply(new object[0]);
            return asked.Params[0].Equals(1ul) ? Refusal(ErrorCode.StaleLayout) : Reply(new object[] {2}, 1, 2);
        };
        With(answer, (sim, server) => {
            using (var stepper = new Stepper(sim)) {
                Throws<ArgumentException>(() => stepper.Put("robot1", "motors", "v", 1, 2), "two values where one is meant");
                stepper.SetDifferentialDrive("robot1", 0.3, 0.1);
                var seen = stepper.Step();
                Check(seen.Sonars("robot1").Ranges.SequenceEqual(new[] {1.0, 2}), "a stale layout is asked for again");
                Throws<Malformed>(() => seen.Gps("robot1"), "a module that it has not");
            }
        });
    }
}
