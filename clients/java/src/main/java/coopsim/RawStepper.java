package coopsim;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Steps robots; the last command of one holds until there is another. Closing it gives the robots back. */
public class RawStepper implements AutoCloseable {
  private static final String STEP = "/sim/step";
  private static final int LAYOUT = 10;
  private static final int DO = 11;
  private static final int CLAIM = 13;
  private static final int RELEASE = 15;
  private static final int PART = 18;
  private static final int STALE_LAYOUT = 206;
  private static final int PAGE = 1000;
  private static final int MOST_ROBOTS = 2000; // of one message: shorter than 1 MiB with names of 128 letters
  private static final int MOST_VALUES = 65536;

  /** Robots that fit one message together. */
  private record Group(int first, int end) {}


  private final Client client;
  private List<String> robots;
  private long generation;
  private Rows takes = new Rows();
  private Rows gives = new Rows();
  private double[] commands = {};
  private final List<Group> groups = new ArrayList<>();

  /** Claims robots, or all where none is named, and learns what a step of them takes and gives. */
  protected RawStepper(Client client, String... robots) {
    this.client = client;
    this.robots = List.of(robots);
    learn();
    groups.forEach(group -> client.ask(STEP, CLAIM, names(group)));
  }

  /** Returns the names of the robots, in the order of their commands. */
  public final List<String> robots() {
    return robots;
  }

  /** Asks what a step takes and gives; commands begin with 0. */
  private void learn() {
    Map<String, Map<?, ?>> kinds = new HashMap<>();
    List<String> names = new ArrayList<>();
    try {
      for (int count = PAGE; count == PAGE; ) {
        Message reply = client.ask(STEP, LAYOUT, List.of(names.size(), PAGE));
        Map<?, ?> page = (Map<?, ?>) Json.parse(Values.textAt(reply, 0));
        List<?> told = (List<?>) page.get("robots");
        for (Object robot : told) {
          String name = (String) ((List<?>) robot).get(0);
          names.add(name);
          kinds.put(name, (Map<?, ?>) ((Map<?, ?>) page.get("types")).get(((List<?>) robot).get(1)));
        }
        count = told.size();
        generation = Rows.whole(page.get("generation"));
      }
      robots = robots.isEmpty() ? List.copyOf(names) : robots;
      takes = rows(kinds, "takes");
      gives = rows(kinds, "gives");
    } catch (ClassCastException | NullPointerException | IndexOutOfBoundsException problem) {
      throw new CoopsimException.Malformed("expected a layout as JSON: " + problem);
    }
    commands = new double[takes.length()];
    group();
  }

  /** Puts robots together that fit one message. */
  private void group() {
    groups.clear();
    int first = 0;
    for (int last = 0; last < robots.size(); last++) {
      int size = Math.max(takes.start(last + 1) - takes.start(first), gives.start(last + 1) - gives.start(first));
      if (last - first == MOST_ROBOTS || size > MOST_VALUES) {
        groups.add(new Group(first, last));
        first = last;
      }
    }
    groups.add(new Group(first, robots.size()));
  }

  private List<String> names(Group group) {
    return robots.subList(group.first(), group.end());
  }

  private Rows rows(Map<String, Map<?, ?>> kinds, String side) {
    Rows rows = new Rows();
    for (String robot : robots) {
      if (!kinds.containsKey(robot)) {
        throw new CoopsimException.Malformed("no robot " + robot + " is in the layout of a step");
      }
      rows.add(robot, kinds.get(robot), side);
    }
    return rows;
  }

  /** Sets a value, or a run of values, of the next command of a robot. */
  public final void put(String robot, String module, String name, double... values) {
    Rows.Span span = takes.span(robot, module, name);
    if (span.end() - span.first() != values.length) {
      int wanted = span.end() - span.first();
      throw new IllegalArgumentException(module + "." + name + " takes " + wanted + " values, got " + values.length);
    }
    System.arraycopy(values, 0, commands, span.first(), values.length);
  }

  /** Does a step; when the scene has changed, robots begin anew with commands of 0. */
  public final RawReadings rawStep() {
    try {
      return ask();
    } catch (CoopsimException.Refused refusal) {
      if (refusal.number != STALE_LAYOUT) {
        throw refusal;
      }
      learn();
      return ask();
    }
  }

  /** Robots that fit no message together are stepped in parts, by one tick for all. */
  private RawReadings ask() {
    if (groups.size() > 1) {
      return new RawReadings(joined(client.askAll(groups.stream().map(this::request).toList())), gives);
    }
    return new RawReadings(client.ask(STEP, DO, Values.flat(generation, robots), commands), gives);
  }

  private Message request(Group group) {
    double[] part = Arrays.copyOfRange(commands, takes.start(group.first()), takes.start(group.end()));
    int command = group.end() == robots.size() ? DO : PART;
    return new Message(0, STEP, 0, 0, "", command, Values.flat(generation, names(group)), part, 0);
  }

  private Message joined(List<Message> replies) {
    List<Object> params = new ArrayList<>(List.of(generation));
    replies.forEach(reply -> params.addAll(reply.params().subList(Math.min(1, reply.params().size()), reply.params().size())));
    double[] data = replies.stream().flatMapToDouble(reply -> Arrays.stream(reply.data())).toArray();
    return new Message(0, STEP, replies.get(0).tick(), 0, "", DO, params, data, 0);
  }

  @Override
  public void close() {
    groups.forEach(group -> client.ask(STEP, RELEASE, names(group)));
  }
}
