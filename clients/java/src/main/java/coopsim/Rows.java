package coopsim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The rows of some robots in a message, and where each value of a row stands: by robot, module and name. */
final class Rows {
  record Span(int first, int end) {}

  private final Map<String, Map<String, Map<String, Span>>> robots = new HashMap<>();
  private final List<Integer> starts = new ArrayList<>();
  private int length;

  int length() {
    return length;
  }

  /** Returns where the row of a robot begins; behind the last one is the end. */
  int start(int robot) {
    return robot < starts.size() ? starts.get(robot) : length;
  }

  /** Puts the row of a robot behind all others. */
  void add(String robot, Map<?, ?> kind, String side) {
    starts.add(length);
    Map<String, Map<String, Span>> modules = new HashMap<>();
    for (Object value : (List<?>) kind.get(side)) {
      List<?> column = (List<?>) value;
      int first = length + whole(column.get(3));
      Span span = new Span(first, first + whole(column.get(4)));
      modules.computeIfAbsent((String) column.get(0), name -> new HashMap<>()).put((String) column.get(1), span);
    }
    robots.put(robot, modules);
    length += whole(kind.get(side + "_length"));
  }

  static int whole(Object value) {
    return ((Double) value).intValue();
  }

  Span span(String robot, String module, String name) {
    Span span = robots.getOrDefault(robot, Map.of()).getOrDefault(module, Map.of()).get(name);
    if (span == null || span.first() < 0 || span.end() < span.first() || span.end() > length) {
      throw new CoopsimException.Malformed(robot + " has no " + module + "." + name + " in a step");
    }
    return span;
  }
}
