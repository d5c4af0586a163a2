package coopsim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;

/**
 * A client of one run: plain TCP or ZeroMQ, and msgpack.
 *
 * <pre>{@code
 * try (Client sim = new Client()) {
 *   double[] ranges = sim.ask("/robot1/sonars", 10).data();
 *   sim.ask("/robot1/motors", 10, List.of(), 0.3, 0.1);
 * }
 * }</pre>
 */
public final class Client implements AutoCloseable {
  private static final int PING = 0;
  private static final int ELSEWHERE = 207;
  private static final int MOST_STATES = 64;

  private final Link link;
  private final Duration timeout;
  private final Map<String, Link> elsewhere = new HashMap<>();
  private final Queue<Message> states = new ArrayDeque<>();
  private long number;
  private long run;

  /** Connect to what COOPSIM_TCP says, or 127.0.0.1:5571. */
  public Client() throws CoopsimException {
    this(System.getenv().getOrDefault("COOPSIM_TCP", "127.0.0.1:5571"), Duration.ofSeconds(5));
  }

  /** Connect to host:port, or by ZeroMQ to zmq://host:port, with a time-out for connecting and for each reply. */
  public Client(String address, Duration timeout) throws CoopsimException {
    this.timeout = timeout;
    link = Link.open(address, timeout);
    List<Object> told = ask("/sim/clock", PING).params();
    run = told.size() > 1 ? ((Number) told.get(1)).longValue() : 0;
  }

  /** Return the number of the run; another one refuses what is meant for this one. */
  public long run() {
    return run;
  }

  /** Send a request without values and return its reply. */
  public Message ask(String target, int command) throws CoopsimException {
    return ask(target, command, List.of());
  }

  /** Send a request and return its reply. */
  public Message ask(String target, int command, List<?> params, double... data) throws CoopsimException {
    List<Object> values = List.copyOf(params);
    if (!elsewhere.containsKey(target)) {
      Message reply = exchange(link, new Message(++number, target, 0, 0, "", command, values, data, run));
      if (reply.error() != ELSEWHERE || reply.params().size() < 2) {
        return checked(reply);
      }
      String address = reply.params().get(1).toString().replace("0.0.0.0", link.host());
      elsewhere.put(target, Link.open(address, timeout));
    }
    return checked(exchangeElsewhere(new Message(++number, target, 0, 0, "", command, values, data, 0)));
  }

  /** Ask the server that a module has of its own; where that is gone, the next request asks where it is now. */
  private Message exchangeElsewhere(Message request) throws CoopsimException {
    try {
      return exchange(elsewhere.get(request.target()), request);
    } catch (CoopsimException.Lost | CoopsimException.Malformed problem) {
      elsewhere.remove(request.target()).close();
      throw problem;
    }
  }

  /** Wait for the next state of a topic that was subscribed to: {@code ask("/sim/info", 11, List.of(topic))}. */
  public Message state() throws CoopsimException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (states.isEmpty()) {
      sort(link.receive(deadline));
    }
    return states.remove();
  }

  private Message exchange(Link there, Message request) throws CoopsimException {
    there.send(request.encode());
    long deadline = System.nanoTime() + timeout.toNanos();
    while (true) {
      Message reply = sort(there.receive(deadline));
      if (reply != null && reply.id() == request.id()) { // what came too late for an earlier request goes by
        return reply;
      }
    }
  }

  /** Return a reply, keep a state; an empty message is a probe. */
  private Message sort(byte[] raw) throws CoopsimException {
    if (raw.length == 0) {
      return null;
    }
    Message message = Message.decode(raw);
    if (message.id() != 0) {
      return message;
    }
    states.add(message);
    if (states.size() > MOST_STATES) {
      states.remove();
    }
    return null;
  }

  private static Message checked(Message reply) throws CoopsimException {
    if (reply.error() != 0) {
      throw new CoopsimException.Refused(reply);
    }
    return reply;
  }

  @Override
  public void close() {
    link.close();
    elsewhere.values().forEach(Link::close);
  }
}
