package coopsim;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.SortedMap;
import java.util.TreeMap;

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
  private static final int WRONG_RUN = 208;
  private static final int MOST_STATES = 64;

  private final Connections shared;
  private final Duration timeout;

  /** What clients with several time-outs share. */
  private static final class Connections {
    final String address;
    final Duration timeout;
    final Keys keys;
    final Map<String, Link> elsewhere = new HashMap<>();
    final Queue<Message> states = new ArrayDeque<>();
    Link link;
    long number;
    long run;

    Connections(String address, Duration timeout, Keys keys) {
      this.address = address;
      this.timeout = timeout;
      this.keys = keys;
    }
  }

  /** Connect to what COOPSIM_TCP says, or 127.0.0.1:5571. */
  public Client() throws CoopsimException {
    this(System.getenv().getOrDefault("COOPSIM_TCP", "127.0.0.1:5571"), Duration.ofSeconds(5));
  }

  /** Connect to host:port, or by ZeroMQ to zmq://host:port, with a time-out for connecting and for each reply. */
  public Client(String address, Duration timeout) throws CoopsimException {
    this(address, timeout, null);
  }

  /** Connect to a server with keys. */
  public Client(String address, Duration timeout, Keys keys) throws CoopsimException {
    this.timeout = timeout;
    shared = new Connections(address, timeout, keys);
    open();
  }

  private Client(Connections shared, Duration timeout) {
    this.shared = shared;
    this.timeout = timeout;
  }

  /**
   * Return this client with another time-out, for whatever is asked through it: {@code new Sonars(sim.within(...), "/robot1/sonars")}.
   * A request ends before that, as one without a reply, when its thread is interrupted.
   */
  public Client within(Duration timeout) {
    return new Client(shared, timeout);
  }

  /** Connect and learn the run: from now on another one refuses what is meant for this one. */
  private void open() {
    shared.run = 0;
    shared.link = Link.open(shared.address, shared.timeout, shared.keys);
    try {
      List<Object> params = ask("/sim/clock", PING).params();
      shared.run = params.size() > 1 ? ((Number) params.get(1)).longValue() : 0;
    } catch (CoopsimException problem) {
      close();
      throw problem;
    }
  }

  /** Connect anew, to the same run; Refused with 208 when another one is there, which a new client may drive. */
  public void reconnect() throws CoopsimException {
    close();
    shared.elsewhere.clear();
    shared.states.clear();
    long run = shared.run;
    try {
      open();
      if (shared.run != run) {
        close();
        throw new CoopsimException.Refused(WRONG_RUN, "another run is at " + shared.address, List.of(shared.run));
      }
    } finally {
      shared.run = run;
    }
  }

  /** Return the number of the run; another one refuses what is meant for this one. */
  public long run() {
    return shared.run;
  }

  /** Send a request without values and return its reply. */
  public Message ask(String target, int command) throws CoopsimException {
    return ask(target, command, List.of());
  }

  /** Send a request and return its reply. */
  public Message ask(String target, int command, List<?> params, double... data) throws CoopsimException {
    List<Object> values = List.copyOf(params);
    if (!shared.elsewhere.containsKey(target)) {
      Message reply = exchange(shared.link, new Message(++shared.number, target, 0, 0, "", command, values, data, shared.run));
      if (reply.error() != ELSEWHERE || reply.params().size() < 2) {
        return checked(reply);
      }
      String address = reply.params().get(1).toString().replace("0.0.0.0", shared.link.host());
      Keys keys = address.startsWith("tls://") ? shared.keys : null;
      shared.elsewhere.put(target, Link.open(address, shared.timeout, keys));
    }
    return checked(exchangeElsewhere(new Message(++shared.number, target, 0, 0, "", command, values, data, 0)));
  }

  /** Send several requests to the simulation, whatever their ids, then wait for all replies, as a STEP in parts needs it. */
  public List<Message> askAll(List<Message> requests) throws CoopsimException {
    long deadline = System.nanoTime() + timeout.toNanos();
    long first = shared.number + 1;
    for (Message request : requests) {
      Message numbered = new Message(++shared.number, request.target(), 0, 0, "", request.command(), request.params(), request.data(), shared.run);
      shared.link.send(numbered.encode(), deadline);
    }
    SortedMap<Long, Message> replies = new TreeMap<>();
    while (replies.size() < requests.size()) {
      Message reply = sort(shared.link.receive(deadline));
      if (reply != null && reply.id() >= first) { // what came too late for an earlier request goes by
        replies.put(reply.id(), reply);
      }
    }
    replies.values().forEach(Client::checked);
    return List.copyOf(replies.values());
  }

  /** Ask the server that a module has of its own; where that is gone, the next request asks where it is now. */
  private Message exchangeElsewhere(Message request) throws CoopsimException {
    try {
      return exchange(shared.elsewhere.get(request.target()), request);
    } catch (CoopsimException.Lost | CoopsimException.Malformed problem) {
      shared.elsewhere.remove(request.target()).close();
      throw problem;
    }
  }

  /** Wait for the next state of a topic that was subscribed to: {@code ask("/sim/info", 11, List.of(topic))}. */
  public Message state() throws CoopsimException {
    long deadline = System.nanoTime() + timeout.toNanos();
    while (shared.states.isEmpty()) {
      sort(shared.link.receive(deadline));
    }
    return shared.states.remove();
  }

  private Message exchange(Link there, Message request) throws CoopsimException {
    long deadline = System.nanoTime() + timeout.toNanos();
    there.send(request.encode(), deadline);
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
    shared.states.add(message);
    if (shared.states.size() > MOST_STATES) {
      shared.states.remove();
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
    shared.link.close();
    shared.elsewhere.values().forEach(Link::close);
  }
}
