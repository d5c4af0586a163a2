using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Linq;
using System.Text;
using Coopsim;

/// <summary>Answers the lines of docs/conformance.md, for `coopsim conformance client`.</summary>
static class Conformance {
    static Client sim;
    static string using_ = "main";
    static readonly Dictionary<string, Client> clients = new Dictionary<string, Client>();

    public static void Answer() {
        for (var line = Console.In.ReadLine(); line != null; line = Console.In.ReadLine()) {
            Console.Out.Write(Answered(line.Split('\t')) + "\n");
            Console.Out.Flush();
        }
        sim?.Dispose();
    }

    static string Answered(string[] words) {
        try {
            switch (words[0]) {
                case "decode": return Decoded(Message.Decode(FromHex(words[1])));
                case "encode": return "bytes\t" + Hex(Request(words).Encode());
                case "connect": return Connected(words, null);
                case "tls": return Connected(words, new Keys(words[3], words[4]));
                case "reconnect": return Reconnected();
                case "use": return Used(words[1]);
                case "ask": return Told("reply\t", Asked(Here, words, 1));
                case "within": return Told("reply\t", Asked(Here.Within(TimeSpan.FromSeconds(Seconds(words[1]))), words, 2));
                case "state": return Told("state\t" + Written(Here.State, out var state) + "\t", state);
                case "time": return Timed(words);
                case "steps": return Stepped(int.Parse(words[1]), Values(words[2]).Cast<string>().ToArray());
                case "close": return Closed();
                default: return "unsupported";
            }
        } catch (Refused problem) {
            return $"refused\ti:{problem.Number}\t{List(problem.Params)}\t{problem.Message}";
        } catch (CoopsimException problem) {
            return $"{problem.GetType().Name.ToLowerInvariant()}\t{problem.Message}";
        }
    }

    static Client Here => sim ?? throw new Lost("there is no connection");

    static string Written(Func<Message> next, out Message state) {
        state = next();
        return Written(state.Target);
    }

    static string Closed() {
        sim?.Dispose();
        sim = null;
        return "closed";
    }

    static double Seconds(string text) => double.Parse(text, CultureInfo.InvariantCulture);

    static string Connected(string[] words, Keys keys) {
        Closed();
        sim = new Client(words[1], Seconds(words[2]), keys);
        return "connected\t" + Written(sim.Run);
    }

    static string Reconnected() {
        Here.Reconnect();
        return "connected\t" + Written(sim.Run);
    }

    static string Used(string name) {
        clients[using_] = sim;
        using_ = name;
        clients.TryGetValue(name, out sim);
        return "using\t" + name;
    }

    static Message Asked(Client client, string[] words, int first) =>
        client.Ask(Text(words[first]), Whole(words[first + 1]), Values(words[first + 2]), Floats(words[first + 3]));

    static string Timed(string[] words) {
        var clock = Stopwatch.StartNew();
        for (var left = int.Parse(words[1]); left > 0; left--) Asked(Here, words, 2);
        return "time\t" + Written(clock.Elapsed.TotalSeconds);
    }

    static string Stepped(int count, string[] robots) {
        using (var stepper = new Stepper(Here, robots)) {
            var clock = Stopwatch.StartNew();
            for (var left = count; left > 0; left--) {
                foreach (var robot in robots) stepper.SetDifferentialDrive(robot, v: 0.25, w: 0.125);
                var seen = stepper.Step();
                foreach (var robot in robots)
                    if (seen.Sonars(robot).Ranges.Length == 0 || seen.DifferentialDrive(robot).V > 1) throw new Malformed(robot + " sees nothing, or is too fast");
            }
            return "time\t" + Written(clock.Elapsed.TotalSeconds);
        }
    }

    static Message Request(string[] words) => new Message {
        Id = Whole(words[1]), Target = Text(words[2]), Tick = Whole(words[3]), Command = Whole(words[4]),
        Params = Values(words[5]), Data = Floats(words[6]), Run = Whole(words[7])
    };

    static string Decoded(Message it) =>
        $"message\ti:{it.Id}\t{Written(it.Target)}\ti:{it.Tick}\ti:{it.Error}\t{Written(it.Text)}\ti:{it.Command}\t{Lists(it)}";

    static string Told(string kind, Message it) => $"{kind}i:{it.Tick}\t{Lists(it)}";

    static string Lists(Message it) => $"{List(it.Params)}\t{List(it.Data.Cast<object>())}";

    static string List(IEnumerable<object> values) => string.Join(" ", values.Select(Written));

    static string Written(object value) {
        if (value is string) return "s:" + Hex(Encoding.UTF8.GetBytes((string)value));
        return value is double ? $"f:{BitConverter.DoubleToInt64Bits((double)value):x16}" : "i:" + value;
    }

    static string Hex(byte[] raw) => BitConverter.ToString(raw).Replace("-", "").ToLowerInvariant();

    static byte[] FromHex(string text) {
        var raw = new byte[text.Length / 2];
        for (var place = 0; place < raw.Length; place++) raw[place] = byte.Parse(text.Substring(2 * place, 2), NumberStyles.HexNumber);
        return raw;
    }

    static object Value(string word) {
        var rest = word.Substring(2);
        if (word[0] == 's') return Encoding.UTF8.GetString(FromHex(rest));
        if (word[0] == 'f') return BitConverter.Int64BitsToDouble(long.Parse(rest, NumberStyles.HexNumber));
        return rest[0] == '-' ? (object)long.Parse(rest) : ulong.Parse(rest);
    }

    static string Text(string word) => (string)Value(word);

    static ulong Whole(string word) => (ulong)Value(word);

    static List<object> Values(string list) =>
        list.Split(new[] {' '}, StringSplitOptions.RemoveEmptyEntries).Select(Value).ToList();

    static double[] Floats(string list) => Values(list).Cast<double>().ToArray();
}
