package coopsim;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import coopsim.modules.Clock;
import coopsim.modules.DifferentialDrive;
import coopsim.modules.ErrorCode;
import coopsim.modules.Joints;
import coopsim.modules.Readings;
import coopsim.modules.Sonars;
import coopsim.modules.Stepper;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.junit.jupiter.api.Test;

/** Tests that need no simulation: a server that this file plays answers. */
final class TypedTest {
  /** A server that answers PING with a run, and all else as a function says. */
  private static final class Server implements AutoCloseable {
    private final ServerSocket listener = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
    final BlockingQueue<Message> requests = new LinkedBlockingQueue<>();

    Server(Function<Message, Message> answer) throws IOException {
      Thread thread = new Thread(() -> serve(answer));
      thread.setDaemon(true);
      thread.start();
    }

    private void serve(Function<Message, Message> answer) {
      try (Socket socket = listener.accept()) {
        DataInputStream in = new DataInputStream(socket.getInputStream());
        DataOutputStream out = new DataOutputStream(socket.getOutputStream());
        while (true) {
          Message asked = Message.decode(in.readNBytes(in.readInt()));
          boolean isPing = asked.command() == 0;
          Message told = isPing ? reply(List.of("clock", 77), 1, 0) : answer.apply(asked);
          if (told == null) { // no reply
            requests.add(asked);
            continue;
          }
          byte[] raw =
              new Message(asked.id(), asked.target(), 5, told.error(), "", asked.command(), told.params(), told.data(), 0).encode();
          if (!isPing) {
            requests.add(asked);
          }
          out.writeInt(raw.length);
          out.write(raw);
        }
      } catch (IOException end) {
        requests.clear();
      }
    }

    Client client() {
      return new Client("127.0.0.1:" + listener.getLocalPort(), Duration.ofSeconds(30));
    }

    @Override
    public void close() throws IOException {
      listener.close();
    }
  }

  private static Message reply(List<Object> params, double... data) {
    return new Message(0, "", 0, 0, "", 0, params, data, 0);
  }

  private static Message refusal(int number) {
    return new Message(0, "", 0, number, "", 0, List.of(), new double[0], 0);
  }

  @Test
  void aCommandSendsItsNumberAndWhatIsLeftOutAsUsual() throws Exception {
    try (Server server = new Server(asked -> reply(List.of())); Client sim = server.client()) {
      DifferentialDrive drive = new DifferentialDrive(sim, "/robot1/motors");
      assertEquals(5, drive.setVelocity(0.5, 0.25));
      drive.setVelocity();
      Message asked = server.requests.take();
      assertEquals(10, asked.command());
      assertArrayEquals(new double[] {0.5, 0.25}, asked.data());
      assertArrayEquals(new double[] {0, 0}, server.requests.take().data());
    }
  }

  @Test
  void readingsHaveNamesAndRunsOfOneLengthShareWhatCame() throws Exception {
    try (Server server = new Server(asked -> reply(List.of(), 1, 2, 3, 4, 5, 6)); Client sim = server.client()) {
      Joints.StateReply seen = new Joints(sim, "/arm/arm").state();
      assertArrayEquals(new double[] {1, 2}, seen.positions());
      assertArrayEquals(new double[] {5, 6}, seen.efforts());
    }
  }

  @Test
  void tooFewValuesAndWrongTypesAreNoReadings() throws Exception {
    try (Server server = new Server(asked -> reply(List.of("lockstep"))); Client sim = server.client()) {
      assertThrows(CoopsimException.Malformed.class, () -> new Clock(sim).status());
      assertThrows(CoopsimException.Malformed.class, () -> new Sonars(sim, "/robot1/sonars").getReach());
    }
  }

  @Test
  void aRefusalHasANumberWithAName() throws Exception {
    try (Server server = new Server(asked -> refusal(ErrorCode.NO_SUCH_NAME)); Client sim = server.client()) {
      Sonars sonars = new Sonars(sim, "/robotX/sonars");
      assertEquals(ErrorCode.NO_SUCH_NAME, assertThrows(CoopsimException.Refused.class, sonars::ranges).number);
    }
  }

  @Test
  void aStaleLayoutIsAskedForAgain() throws Exception {
    AtomicInteger generation = new AtomicInteger();
    Function<Message, Message> answer =
        asked ->
            switch (asked.command()) {
              case 10 -> reply(List.of(layout(generation.incrementAndGet())));
              case 11 -> asked.params().get(0).equals(1L) ? refusal(ErrorCode.STALE_LAYOUT) : reply(List.of(2), 1, 2);
              default -> reply(List.of());
            };
    try (Server server = new Server(answer); Client sim = server.client(); Stepper stepper = new Stepper(sim)) {
      assertThrows(IllegalArgumentException.class, () -> stepper.put("robot1", "motors", "v", 1, 2));
      stepper.setDifferentialDrive("robot1", 0.3, 0.1);
      Readings seen = stepper.step();
      assertArrayEquals(new double[] {1, 2}, seen.sonars("robot1").ranges());
      assertThrows(CoopsimException.Malformed.class, () -> seen.gps("robot1"));
    }
  }

  @Test
  void anInterruptEndsARequestAndNoOther() throws Exception {
    try (Server server = new Server(asked -> asked.command() == 10 ? reply(List.of(), 1, 2) : null); Client sim = server.client()) {
      Thread program = Thread.currentThread();
      Thread impatient =
          new Thread(
              () -> {
                try {
                  server.requests.take();
                } catch (InterruptedException end) {
                  return;
                }
                program.interrupt();
              });
      impatient.start();
      assertThrows(CoopsimException.Silent.class, () -> sim.ask("/robot1/sonars", 11));
      impatient.join();
      assertTrue(Thread.interrupted());
      assertArrayEquals(new double[] {1, 2}, new Sonars(sim, "/robot1/sonars").ranges().ranges());
    }
  }

  private static String layout(int generation) {
    return """
        {"generation": %d, "types": {"t": {"takes": [["motors", "v", "m/s", 0, 1], ["motors", "w", "rad/s", 1, 1]],
         "takes_length": 2, "gives": [["sonars", "ranges", "m", 0, 2]], "gives_length": 2}}, "robots": [["robot1", "t"]]}"""
        .formatted(generation);
  }

  @Test
  void jsonIsReadAndWhatIsNoneIsRefused() {
    assertEquals(List.of("\u00e9\"\n", 1.5, true), Json.parse(" [\"\\u00e9\\\"\\n\", 1.5, true] "));
    for (String text : List.of("", "[1", "{\"a\" 1}", "[1] 2", "[\"", "[".repeat(40), "tru", "[1e]")) {
      assertThrows(CoopsimException.Malformed.class, () -> Json.parse(text), text);
    }
  }
}
