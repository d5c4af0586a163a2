// A client of coopsim: plain TCP, or TLS with keys; no library beside those of .NET, and OpenSSL for keys in Mono.
//
//     using (var sim = new Client()) {
//         var ranges = sim.Ask("/robot1/sonars", 10).Data;
//         sim.Ask("/robot1/motors", 10, null, 0.3, 0.1);
//     }
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Linq;
using System.Net;
using System.Net.Sockets;
using System.Threading;
using System.Threading.Tasks;

namespace Coopsim {

/// <summary>A connection: messages, each behind its length.</summary>
class Link : IDisposable {
    const int Largest = 1 << 20, Slice = 50000; // microseconds; how late the end of a token is noticed (mcs reads 50_000 as 500000)
    readonly Socket socket;
    readonly byte[] inbox = new byte[4 + Largest];
    static readonly Stopwatch clock = Stopwatch.StartNew();
    readonly Secured/*?*/ secured; // over the socket, where there are keys
    int filled, patience; // ms; of one write
    public readonly string Host;

    public Link(string address, double timeout, Keys/*?*/ keys) {
        var deadline = Now + timeout;
        var place = address.StartsWith("tcp://") || address.StartsWith("tls://") ? address.Substring(6) : address;
        Host = place.Substring(0, Math.Max(place.LastIndexOf(':'), 0));
        socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
        try {
            var connected = socket.BeginConnect(Host, int.Parse(place.Substring(place.LastIndexOf(':') + 1)), null, null);
            if (!connected.AsyncWaitHandle.WaitOne(TimeSpan.FromSeconds(timeout))) throw new SocketException((int)SocketError.TimedOut);
            socket.EndConnect(connected);
            secured = keys?.Over(socket, deadline);
        } catch (Exception problem) when (problem is SocketException || problem is FormatException || problem is ArgumentException) {
            Dispose();
            throw new Lost($"no simulation at {address}: {problem.Message}");
        } catch (Lost) {
            Dispose();
            throw;
        }
    }

    public static double Now => clock.Elapsed.TotalSeconds;

    /// <summary>What is left until a deadline, as a socket wants it.</summary>
    public static int Microseconds(double deadline) => (int)(1e6 * Math.Min(Math.Max(deadline - Now, 0), 1000));

    /// <summary>Send a message; half of one that did not go in time would make nonsense of all that follow.</summary>
    public void Send(byte[] raw, double deadline) {
        var framed = new byte[4 + raw.Length];
        BitConverter.GetBytes(IPAddress.HostToNetworkOrder(raw.Length)).CopyTo(framed, 0);
        raw.CopyTo(framed, 4);
        try {
            if (secured != null) secured.Write(framed, deadline);
            else Write(framed, deadline);
        } catch (Exception problem) when (IsEnd(problem) || problem is Lost) {
            Dispose();
            if (problem is Lost) throw;
            throw new Lost("the simulation is gone: " + Words(problem));
        }
    }

    /// <summary>Write within a time-out, or a tenth more: to say so to the socket costs as much as to write.</summary>
    void Write(byte[] framed, double deadline) {
        for (var sent = 0; sent < framed.Length;) {
            var left = Math.Max(Microseconds(deadline) / 1000, 1);
            if (left > patience || left < 0.9 * patience) socket.SendTimeout = patience = left;
            sent += socket.Send(framed, sent, framed.Length - sent, SocketFlags.None, out var error);
            if (error != SocketError.Success) throw new SocketException((int)error);
        }
    }

    /// <summary>What is wrong, on one line: some messages name the object on a second one.</summary>
    static string Words(Exception problem) => problem.Message.Split('\n')[0];

    static bool IsEnd(Exception problem) => problem is SocketException || problem is ObjectDisposedException;

    /// <summary>The next message; what came of one before the deadline is kept for later.</summary>
    public byte[] Receive(double deadline, CancellationToken token) {
        Fill(4, deadline, token);
        var length = (uint)IPAddress.NetworkToHostOrder(BitConverter.ToInt32(inbox, 0));
        if (length > Largest) {
            Dispose();
            throw new Malformed($"it announced {length} bytes");
        }
        Fill(4 + (int)length, deadline, token);
        var raw = new byte[length];
        Buffer.BlockCopy(inbox, 4, raw, 0, raw.Length);
        filled -= 4 + raw.Length;
        Buffer.BlockCopy(inbox, 4 + raw.Length, inbox, 0, filled);
        return raw;
    }

    void Fill(int wanted, double deadline, CancellationToken token) {
        while (filled < wanted) {
            token.ThrowIfCancellationRequested();
            try {
                var count = Part(Math.Min(Microseconds(deadline), Slice));
                if (count == 0) throw new Lost("the simulation has closed the connection");
                if (count < 0 && Now >= deadline) throw new Silent();
                filled += Math.Max(count, 0);
            } catch (Exception problem) when (IsEnd(problem)) {
                throw new Lost("the simulation is gone: " + Words(problem));
            }
        }
    }

    /// <summary>Read what comes within some microseconds, and return how many bytes that is: 0 = the end, -1 = nothing came.</summary>
    int Part(int microseconds) {
        if (secured != null) return secured.Read(inbox, filled, inbox.Length - filled, microseconds);
        if (!socket.Poll(microseconds, SelectMode.SelectRead)) return -1;
        return socket.Receive(inbox, filled, inbox.Length - filled, SocketFlags.None);
    }

    public void Dispose() {
        secured?.Dispose();
        socket.Close();
    }
}

/// <summary>A client of one run; for one thread at a time, or any number by AskAsync.</summary>
public class Client : IDisposable {
    const int Ping = 0, Elsewhere = 207, WrongRun = 208, MostStates = 64;
    readonly Connections shared;
    readonly double timeout;
    readonly CancellationToken token;

    /// <summary>What clients with several time-outs share.</summary>
    class Connections {
        public string Address = "";
        public double Timeout;
        public Keys/*?*/ Keys;
        public Link/*?*/ Link;
        public Link Simulation => Link ?? throw new Lost("there is no connection");
        public readonly Dictionary<string, Link> Elsewhere = new Dictionary<string, Link>();
        public readonly Queue<Message> States = new Queue<Message>();
        public ulong Number, Run;
    }

    /// <summary>Number of the run; another one refuses what is meant for this one.</summary>
    public ulong Run => shared.Run;

    /// <summary>
    /// Connect to host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds. Keys are for a server
    /// that asks for some.
    /// </summary>
    public Client(string/*?*/ address = null, double timeout = 5.0, Keys/*?*/ keys = null) {
        this.timeout = timeout;
        address = address ?? Environment.GetEnvironmentVariable("COOPSIM_TCP") ?? "127.0.0.1:5571";
        shared = new Connections { Address = address, Timeout = timeout, Keys = keys };
        Open();
    }

    Client(Connections shared, double timeout, CancellationToken token) {
        this.shared = shared;
        this.timeout = timeout;
        this.token = token;
    }

    /// <summary>This client with another time-out, or a token that ends requests, for whatever is asked through it.</summary>
    public Client Within(TimeSpan timeout, CancellationToken token = default(CancellationToken)) => new Client(shared, timeout.TotalSeconds, token);

    /// <summary>Connect and learn the run: from now on another one refuses what is meant for this one.</summary>
    void Open() {
        shared.Run = 0;
        shared.Link = new Link(shared.Address, shared.Timeout, shared.Keys);
        try {
            var values = Ask("/sim/clock", Ping).Params;
            shared.Run = values.Count > 1 && values[1] is ulong ? (ulong)values[1] : 0;
        } catch (CoopsimException) {
            Dispose();
            throw;
        }
    }

    /// <summary>Connect anew, to the same run; Refused with 208 when another one is there, which a new client may drive.</summary>
    public void Reconnect() {
        Dispose();
        shared.Elsewhere.Clear();
        shared.States.Clear();
        var run = shared.Run;
        try {
            Open();
            if (shared.Run == run) return;
            Dispose();
            throw new Refused(new Message { Error = WrongRun, Text = "another run is at " + shared.Address, Params = new List<object> {shared.Run} });
        } finally {
            shared.Run = run;
        }
    }

    /// <summary>Send a request and return its reply; a CoopsimException says what went wrong.</summary>
    public Message Ask(string target, ulong command, IEnumerable<object>/*?*/ given = null, params double[] data) {
        var request = new Message { Target = target, Command = command, Params = new List<object>(given ?? new object[0]), Data = data };
        if (!shared.Elsewhere.ContainsKey(target)) {
            request.Run = Run;
            var reply = Exchange(shared.Simulation, request);
            var address = reply.Error == Elsewhere && reply.Params.Count > 1 ? reply.Params[1] as string : null;
            if (address == null || address.Length == 0) return Checked(reply);
            var keys = address.StartsWith("tls://") ? shared.Keys : null;
            shared.Elsewhere[target] = new Link(address.Replace("0.0.0.0", shared.Simulation.Host), shared.Timeout, keys);
            request.Run = 0; // is of the simulation, not of what is served elsewhere
        }
        return Checked(ExchangeElsewhere(request));
    }

    /// <summary>Ask beside what this thread does; requests of one client follow each other.</summary>
    public Task<Message> AskAsync(string target, ulong command, IEnumerable<object>/*?*/ given = null, params double[] data) => Task.Run(() => {
        lock (shared) return Ask(target, command, given, data);
    }, token);

    /// <summary>Send several requests to the simulation, then wait for all replies, as a STEP in parts needs it.</summary>
    public IReadOnlyList<Message> AskAll(IEnumerable<Message> requests) {
        var (deadline, first) = (Link.Now + timeout, shared.Number + 1);
        foreach (var request in requests) {
            (request.Id, request.Run) = (++shared.Number, Run);
            shared.Simulation.Send(request.Encode(), deadline);
        }
        var replies = new SortedDictionary<ulong, Message>();
        while (replies.Count < (int)(shared.Number + 1 - first)) {
            var reply = Sorted(shared.Simulation.Receive(deadline, token));
            if (reply != null && reply.Id >= first) replies[reply.Id] = reply;
        }
        return replies.Values.Select(Checked).ToList();
    }

    /// <summary>Ask the server that a module has of its own; where that is gone, the next request asks where it is now.</summary>
    Message ExchangeElsewhere(Message request) {
        try {
            return Exchange(shared.Elsewhere[request.Target], request);
        } catch (CoopsimException problem) when (problem is Lost || problem is Malformed) {
            shared.Elsewhere[request.Target].Dispose();
            shared.Elsewhere.Remove(request.Target);
            throw;
        }
    }

    /// <summary>Wait for the next state of a topic that was subscribed to: Ask("/sim/info", 11, new[] {topic}).</summary>
    public Message State() {
        var deadline = Link.Now + timeout;
        while (shared.States.Count == 0) Sorted(shared.Simulation.Receive(deadline, token));
        return shared.States.Dequeue();
    }

    Message Exchange(Link there, Message request) {
        var number = request.Id = ++shared.Number;
        var deadline = Link.Now + timeout;
        there.Send(request.Encode(), deadline);
        while (true) {
            var reply = Sorted(there.Receive(deadline, token));
            if (reply != null && reply.Id == number) return reply; // others came too late for an earlier request
        }
    }

    /// <summary>A reply; a state is kept, and an empty message is a probe.</summary>
    Message/*?*/ Sorted(byte[] raw) {
        if (raw.Length == 0) return null;
        var message = Message.Decode(raw);
        if (message.Id > 0) return message;
        if (shared.States.Count == MostStates) shared.States.Dequeue();
        shared.States.Enqueue(message);
        return null;
    }

    static Message Checked(Message reply) {
        if (reply.Error == 0) return reply;
        throw new Refused(reply);
    }

    /// <summary>End all connections.</summary>
    public void Dispose() {
        shared.Link?.Dispose();
        foreach (var link in shared.Elsewhere.Values) link.Dispose();
    }
}

}
