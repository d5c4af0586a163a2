using System;
using System.Collections;
using System.Collections.Generic;
using System.Linq;

namespace Coopsim {

/// <summary>Values of a reply by type and place; what is missing, or of another type, is no message.</summary>
public static class Values {
    /// <summary>
    /// Some values: from start (below 0 = counted from the end) count of them, or all but end values if that is 0; of these
    /// one of some equal parts.
    /// </summary>
    static ArraySegment<T> Span<T>(T[] values, int start, int count, int end, int part, int parts) {
        var first = start < 0 ? values.Length + start : start;
        var all = count == 0 ? values.Length - end - first : count;
        if (first < 0 || all < 0 || all > values.Length - first || all % parts != 0) throw new Malformed($"a reply of {values.Length} values");
        return new ArraySegment<T>(values, first + part * (all / parts), all / parts);
    }

    /// <summary>A run of data.</summary>
    public static double[] Numbers(Message reply, int start, int count, int end, int part, int parts) =>
        Span(reply.Data, start, count, end, part, parts).ToArray();

    /// <summary>A run of params.</summary>
    public static object[] Run(Message reply, int start, int count, int end, int part, int parts) =>
        Span(reply.Params.ToArray(), start, count, end, part, parts).ToArray();

    /// <summary>A run of params that are texts.</summary>
    public static string[] Texts(Message reply, int start, int count, int end, int part, int parts) =>
        Run(reply, start, count, end, part, parts).Select(Text).ToArray();

    static string Text(object value) => value as string ?? throw new Malformed($"{value} where a text is meant");

    /// <summary>One of the data.</summary>
    public static double NumberAt(Message reply, int place) => Numbers(reply, place, 1, 0, 0, 1)[0];

    /// <summary>A param.</summary>
    public static object ValueAt(Message reply, int place) => Run(reply, place, 1, 0, 0, 1)[0];

    /// <summary>A param that is a text.</summary>
    public static string TextAt(Message reply, int place) => Text(ValueAt(reply, place));

    /// <summary>A param that is a number.</summary>
    public static double FloatAt(Message reply, int place) {
        var value = ValueAt(reply, place);
        return value is string ? throw new Malformed($"{value} where a number is meant") : Convert.ToDouble(value);
    }

    /// <summary>A param that is an integer.</summary>
    public static long WholeAt(Message reply, int place) {
        var value = ValueAt(reply, place);
        if (value is ulong && (ulong)value <= long.MaxValue) return (long)(ulong)value;
        return value is long ? (long)value : throw new Malformed($"{value} where an integer of 64 bits is meant");
    }

    /// <summary>Params, runs of them one by one; null is an empty run.</summary>
    public static List<object> Flat(params object/*?*/[] values) {
        var flat = new List<object>();
        foreach (var value in values) {
            if (value is string) flat.Add(value);
            else if (value is IEnumerable) flat.AddRange(((IEnumerable)value).Cast<object>());
            else if (value != null) flat.Add(value);
        }
        return flat;
    }

    /// <summary>Runs of data as one; null is an empty run.</summary>
    public static double[] Joined(params double[]/*?*/[] runs) => runs.SelectMany(run => run ?? new double[0]).ToArray();
}

}
