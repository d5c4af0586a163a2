package coopsim;

import java.math.BigInteger;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.DoubleStream;

/** Values of a reply by type and place; what is missing, or of another type, is no message. */
public final class Values {
  private Values() {}

  /**
   * Where some values stand: from start (below 0 = counted from the end) count of them, or all but {@code end} values if
   * that is 0; of these it is one of some equal parts.
   */
  private static int[] span(int length, int start, int count, int end, int part, int parts) {
    int first = start < 0 ? length + start : start;
    int all = count == 0 ? length - end - first : count;
    if (first < 0 || all < 0 || all > length - first || all % parts != 0) {
      throw new CoopsimException.Malformed("a reply of " + length + " values");
    }
    int share = all / parts;
    return new int[] {first + part * share, first + (part + 1) * share};
  }

  /** Returns a run of data. */
  public static double[] numbers(Message reply, int start, int count, int end, int part, int parts) {
    int[] span = span(reply.data().length, start, count, end, part, parts);
    return Arrays.copyOfRange(reply.data(), span[0], span[1]);
  }

  /** Returns a run of params. */
  public static List<Object> values(Message reply, int start, int count, int end, int part, int parts) {
    int[] span = span(reply.params().size(), start, count, end, part, parts);
    return List.copyOf(reply.params().subList(span[0], span[1]));
  }

  /** Returns a run of params that are texts. */
  public static List<String> texts(Message reply, int start, int count, int end, int part, int parts) {
    return values(reply, start, count, end, part, parts).stream().map(Values::text).toList();
  }

  /** Returns one of the data. */
  public static double numberAt(Message reply, int place) {
    return reply.data()[span(reply.data().length, place, 1, 0, 0, 1)[0]];
  }

  /** Returns a param. */
  public static Object valueAt(Message reply, int place) {
    return reply.params().get(span(reply.params().size(), place, 1, 0, 0, 1)[0]);
  }

  /** Returns a param that is a text. */
  public static String textAt(Message reply, int place) {
    return text(valueAt(reply, place));
  }

  private static String text(Object value) {
    if (value instanceof String text) {
      return text;
    }
    throw new CoopsimException.Malformed(value + " where a text is meant");
  }

  /** Returns a param that is a number. */
  public static double floatAt(Message reply, int place) {
    if (valueAt(reply, place) instanceof Number number) {
      return number.doubleValue();
    }
    throw new CoopsimException.Malformed(valueAt(reply, place) + " where a number is meant");
  }

  /** Returns a param that is an integer; beyond the largest long it counts on from the smallest. */
  public static long wholeAt(Message reply, int place) {
    Object value = valueAt(reply, place);
    if (value instanceof Long || value instanceof BigInteger) {
      return ((Number) value).longValue();
    }
    throw new CoopsimException.Malformed(value + " where an integer is meant");
  }

  /** Returns params, lists of them one by one. */
  public static List<Object> flat(Object... values) {
    List<Object> params = new ArrayList<>();
    for (Object value : values) {
      if (value instanceof List<?> list) {
        params.addAll(list);
      } else {
        params.add(value);
      }
    }
    return params;
  }

  /** Returns runs of data as one. */
  public static double[] joined(double[]... runs) {
    return Arrays.stream(runs).flatMapToDouble(DoubleStream::of).toArray();
  }
}
