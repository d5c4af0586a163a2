// A client of coopsim: plain TCP, no library beside those of .NET.
//
//     using (var sim = new Client()) {
//         var ranges = sim.Ask("/robot1/sonars", 10).Data;
//         sim.Ask("/robot1/motors", 10, null, 0.3, 0.1);
//     }
using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.IO;
using System.Net;
using System.Net.Sockets;

namespace Coopsim {

/// <summary>A connection: messages, each behind its length.</summary>
class Link : IDisposable {
    const int Largest = 1 << 20;
    readonly Socket socket;
    readonly byte[] inbox = new byte[4 + Largest];
    readonly Stopwatch clock = Stopwatch.StartNew();
    int filled;
    public readonly string Host;

    public Link(string address, double timeout) {
        try {
            var place = address.Substring(address.StartsWith("tcp://") ? 6 : 0);
            Host = place.Substring(0, place.LastIndexOf(':'));
            socket = new Socket(SocketType.Stream, ProtocolType.Tcp) { NoDelay = true };
            var connected = socket.BeginConnect(Host, int.Parse(place.Substring(Host.Length + 1)), null, null);
            if (!connected.AsyncWaitHandle.WaitOne(TimeSpan.FromSeconds(timeout))) throw new SocketException((int)SocketError.TimedOut);
            socket.EndConnect(connected);
        } catch (Exception problem) when (problem is SocketException || problem is FormatException || problem is ArgumentException) {
            Dispose();
            throw new Lost($"no simulation at {address}: {problem.Message}");
        }
    }

    public double Now => clock.Elapsed.TotalSeconds;

    public void Send(byte[] raw) {
        var framed = new byte[4 + raw.Length];
        BitConverter.GetBytes(IPAddress.HostToNetworkOrder(raw.Length)).CopyTo(framed, 0);
        raw.CopyTo(framed, 4);
        try {
            for (var sent = 0; sent < framed.Length;) sent += socket.Send(framed, sent, framed.Length - sent, SocketFlags.None);
        } catch (SocketException problem) {
            throw new Lost("the simulation is gone: " + problem.Message);
        }
    }

    /// <summary>The next message; what came of one before the deadline is kept for later.</summary>
    public byte[] Receive(double deadline) {
        Fill(4, deadline);
        var length = (uint)IPAddress.NetworkToHostOrder(BitConverter.ToInt32(inbox, 0));
        if (length > Largest) {
            Dispose();
            throw new Malformed($"it announced {length} bytes");
        }
        Fill(4 + (int)length, deadline);
        var raw = new byte[length];
        Buffer.BlockCopy(inbox, 4, raw, 0, raw.Length);
        filled -= 4 + raw.Length;
        Buffer.BlockCopy(inbox, 4 + raw.Length, inbox, 0, filled);
        return raw;
    }

    void Fill(int wanted, double deadline) {
        while (filled < wanted) {
            try {
                if (!socket.Poll((int)(1e6 * Math.Max(deadline - Now, 0)), SelectMode.SelectRead)) throw new Silent();
                var count = socket.Receive(inbox, filled, inbox.Length - filled, SocketFlags.None);
                if (count == 0) throw new Lost("the simulation has closed the connection");
                filled += count;
            } catch (Exception problem) when (problem is SocketException || problem is ObjectDisposedException) {
                throw new Lost("the simulation is gone: " + problem.Message);
            }
        }
    }

    public void Dispose() => socket?.Close();
}

/// <summary>A client of one run; for one thread at a time.</summary>
public class Client : IDisposable {
    const int Ping = 0, Elsewhere = 207, MostStates = 64;
    readonly Link link;
    readonly Dictionary<string, Link> elsewhere = new Dictionary<string, Link>();
    readonly Queue<Message> states = new Queue<Message>();
    readonly double timeout;
    ulong number;

    /// <summary>Number of the run; another one refuses what is meant for this one.</summary>
    public readonly ulong Run;

    /// <summary>Connect to host:port, by default what COOPSIM_TCP says, or 127.0.0.1:5571. Time-out in seconds.</summary>
    public Client(string address = null, double timeout = 5.0) {
        this.timeout = timeout;
        link = new Link(address ?? Environment.GetEnvironmentVariable("COOPSIM_TCP") ?? "127.0.0.1:5571", timeout);
        try {
            var found = Ask("/sim/clock", Ping).Params;
            Run = found.Count > 1 && found[1] is ulong ? (ulong)found[1] : 0;
        } catch (CoopsimException) {
            Dispose();
            throw;
        }
    }

    /// <summary>Send a request and return its reply; a CoopsimException says what went wrong.</summary>
    public Message Ask(string target, ulong command, IEnumerable<object> given = null, params double[] data) {
        var request = new Message { Target = target, Command = command, Params = new List<object>(given ?? new object[0]), Data = data };
        if (!elsewhere.ContainsKey(target)) {
            request.Run = Run;
            var reply = Exchange(link, request);
            var address = reply.Error == Elsewhere && reply.Params.Count > 1 ? reply.Params[1] as string : null;
            if (string.IsNullOrEmpty(address)) return Checked(reply);
            elsewhere[target] = new Link(address.Replace("0.0.0.0", link.Host), timeout);
            request.Run = 0; // is of the simulation, not of what is served elsewhere
        }
        return Checked(ExchangeElsewhere(request));
    }

    /// <summary>Ask the server that a module has of its own; where that is gone, the next request asks where it is now.</summary>
    Message ExchangeElsewhere(Message request) {
        try {
            return Exchange(elsewhere[request.Target], request);
        } catch (CoopsimException problem) when (!(problem is Silent)) {
            elsewhere[request.Target].Dispose();
            elsewhere.Remove(request.Target);
            throw;
        }
    }

    /// <summary>Wait for the next state of a topic that was subscribed to: Ask("/sim/info", 11, new[] {topic}).</summary>
    public Message State() {
        var deadline = link.Now + timeout;
        while (states.Count == 0) Sorted(link.Receive(deadline));
        return states.Dequeue();
    }

    Message Exchange(Link there, Message request) {
        request.Id = ++number;
        var deadline = there.Now + timeout;
        there.Send(request.Encode());
        while (true) {
            var reply = Sorted(there.Receive(deadline));
            if (reply != null && reply.Id == number) return reply; // others came too late for an earlier request
        }
    }

    /// <summary>A reply; a state is kept, and an empty message is a probe.</summary>
    Message Sorted(byte[] raw) {
        if (raw.Length == 0) return null;
        var message = Message.Decode(raw);
        if (message.Id > 0) return message;
        if (states.Count == MostStates) states.Dequeue();
        states.Enqueue(message);
        return null;
    }

    static Message Checked(Message reply) {
        if (reply.Error == 0) return reply;
        throw new Refused(reply);
    }

    public void Dispose() {
        link.Dispose();
        foreach (var other in elsewhere.Values) other.Dispose();
    }
}

}
