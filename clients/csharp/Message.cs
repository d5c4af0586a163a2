using System;
using System.Collections.Generic;
using System.IO;
using System.Text;

namespace Coopsim {

/// <summary>Something went wrong between this program and the simulation.</summary>
public class CoopsimException : Exception {
    public CoopsimException(string text) : base(text) {}
}

/// <summary>The server refuses; Number says why (protocol, section 11), Params what a program needs.</summary>
public class Refused : CoopsimException {
    public readonly ulong Number;
    public readonly List<object> Params;
    public Refused(Message reply) : base($"error {reply.Error}: {reply.Text}") { Number = reply.Error; Params = reply.Params; }
}

/// <summary>No reply came in time.</summary>
public class Silent : CoopsimException {
    public Silent() : base("no reply in time: is the simulation paused, or waiting for another robot?") {}
}

/// <summary>There is no connection; make a new client.</summary>
public class Lost : CoopsimException {
    public Lost(string text) : base(text) {}
}

/// <summary>The server sent something that is no message.</summary>
public class Malformed : CoopsimException {
    public Malformed(string text) : base("the server sent no message of version 1: " + text) {}
}

/// <summary>A request, a reply or a state. Params are ulong, long (below zero), int, double or string.</summary>
public class Message {
    const int Version = 1, Fields = 9;
    public ulong Id, Tick, Error, Command, Run;
    public string Target = "", Text = "";
    public List<object> Params = new List<object>();
    public double[] Data = {};

    /// <summary>The bytes of a request; its run 0 = for whichever is there.</summary>
    public byte[] Encode() {
        var to = new Packer();
        to.Array(Run > 0 ? Fields + 1 : Fields);
        to.Whole(Version);
        to.Whole(Id);
        to.Text(Target);
        to.Whole(Tick);
        to.Whole(Error);
        to.Text(Text);
        to.Whole(Command);
        to.Array(Params.Count);
        foreach (var param in Params) to.Value(param);
        to.Array(Data.Length);
        foreach (var value in Data) to.Float(value);
        if (Run > 0) to.Whole(Run);
        return to.Bytes;
    }

    /// <summary>The message of some bytes; later fields are passed over.</summary>
    public static Message Decode(byte[] raw) {
        try {
            var from = new Unpacker(raw);
            if (from.ArrayLength() < Fields) throw new Malformed("fewer than nine fields");
            if ((ulong)from.Value() != Version) throw new Malformed("another version");
            return new Message {
                Id = (ulong)from.Value(), Target = (string)from.Value(), Tick = (ulong)from.Value(), Error = (ulong)from.Value(),
                Text = (string)from.Value(), Command = (ulong)from.Value(), Params = from.Params(), Data = from.Data()
            };
        } catch (Exception problem) when (problem is InvalidCastException || problem is IndexOutOfRangeException || problem is ArgumentException) {
            throw new Malformed(problem.Message);
        }
    }
}

/// <summary>Writes msgpack.</summary>
class Packer {
    readonly MemoryStream stream = new MemoryStream();
    public byte[] Bytes => stream.ToArray();

    public void Whole(ulong value) {
        if (value < 0x80) stream.WriteByte((byte)value);
        else Coded(0xcf, value, 8);
    }

    public void Float(double value) => Coded(0xcb, (ulong)BitConverter.DoubleToInt64Bits(value), 8);

    public void Array(int count) {
        if (count < 16) stream.WriteByte((byte)(0x90 | count));
        else Coded(0xdd, (ulong)count, 4);
    }

    public void Text(string text) {
        var raw = Encoding.UTF8.GetBytes(text);
        if (raw.Length < 32) stream.WriteByte((byte)(0xa0 | raw.Length));
        else Coded(0xdb, (ulong)raw.Length, 4);
        stream.Write(raw, 0, raw.Length);
    }

    public void Value(object value) {
        if (value is string) Text((string)value);
        else if (value is double) Float((double)value);
        else if (value is ulong) Whole((ulong)value);
        else if (Convert.ToInt64(value) >= 0) Whole(Convert.ToUInt64(value));
        else Coded(0xd3, (ulong)Convert.ToInt64(value), 8);
    }

    void Coded(byte code, ulong value, int size) {
        stream.WriteByte(code);
        while (size-- > 0) stream.WriteByte((byte)(value >> (8 * size)));
    }
}

/// <summary>Reads msgpack: integers as ulong, or long below zero, floats as double, str as string, bin as byte[], arrays as List.</summary>
class Unpacker {
    static readonly Encoding Strict = new UTF8Encoding(false, true);
    readonly byte[] raw;
    int at;

    public Unpacker(byte[] raw) { this.raw = raw; }

    public int ArrayLength() {
        var code = raw[at++];
        if (code >= 0x90 && code < 0xa0) return code & 15;
        if (code == 0xdc) return (int)Number(2);
        if (code == 0xdd) return (int)Number(4);
        throw new Malformed("no array where one is meant");
    }

    public object Value() {
        var code = raw[at++];
        if (code < 0x80) return (ulong)code;
        if (code >= 0xe0) return (long)(sbyte)code;
        if (code >= 0xa0 && code < 0xc0) return Strict.GetString(Taken(code & 31));
        if (code >= 0xc4 && code <= 0xc6) return Taken((int)Number(1 << (code - 0xc4)));
        if (code == 0xca) return (double)BitConverter.ToSingle(BitConverter.GetBytes((uint)Number(4)), 0);
        if (code == 0xcb) return BitConverter.Int64BitsToDouble((long)Number(8));
        if (code >= 0xcc && code <= 0xcf) return Number(1 << (code - 0xcc));
        if (code >= 0xd0 && code <= 0xd3) return Signed(1 << (code - 0xd0));
        if (code >= 0xd9 && code <= 0xdb) return Strict.GetString(Taken((int)Number(1 << (code - 0xd9))));
        throw new Malformed($"code {code} is no type that messages have");
    }

    public List<object> Params() {
        var found = new List<object>();
        for (var left = ArrayLength(); left > 0; left--) found.Add(Value());
        return found;
    }

    public double[] Data() {
        if (raw[at] >= 0xc4 && raw[at] <= 0xc6) return Floats((byte[])Value());
        var found = new double[Math.Min(ArrayLength(), raw.Length)];
        for (var place = 0; place < found.Length; place++) found[place] = Float(Value());
        return found;
    }

    static double[] Floats(byte[] bytes) {
        if (bytes.Length % 8 != 0) throw new Malformed($"data of {bytes.Length} bytes");
        var found = new double[bytes.Length / 8];
        Buffer.BlockCopy(bytes, 0, found, 0, 8 * found.Length); // little-endian, as this machine
        return found;
    }

    static double Float(object value) => value is double ? (double)value : value is ulong ? (double)(ulong)value : (double)(long)value;

    object Signed(int size) {
        var value = (long)(Number(size) << (64 - 8 * size)) >> (64 - 8 * size);
        return value < 0 ? (object)value : (ulong)value;
    }

    ulong Number(int size) {
        ulong value = 0;
        while (size-- > 0) value = value << 8 | raw[at++];
        return value;
    }

    byte[] Taken(int size) {
        var part = new byte[size < 0 || size > raw.Length - at ? throw new Malformed("it is cut short") : size];
        Buffer.BlockCopy(raw, at, part, 0, size);
        at += size;
        return part;
    }
}

}
