package coopsim;

import coopsim.modules.Readings;
import coopsim.modules.Stepper;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** Answers the lines of docs/conformance.md, for `coopsim conformance client`. */
final class Conformance {
  private final Map<String, Client> clients = new HashMap<>();
  private String using = "main";
  private Client sim;

  public static void main(String[] arguments) throws IOException {
    Conformance ours = new Conformance();
    BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      System.out.println(String.join("\t", ours.answer(line.split("\t", -1))));
    }
  }

  private List<String> answer(String[] words) {
    try {
      return done(words);
    } catch (CoopsimException.Refused refused) {
      return List.of("refused", written((long) refused.number), list(refused.params), refused.getMessage());
    } catch (CoopsimException problem) {
      return List.of(problem.getClass().getSimpleName().toLowerCase(), problem.getMessage());
    }
  }

  private List<String> done(String[] words) throws CoopsimException {
    return switch (words[0]) {
      case "decode" -> decoded(Message.decode(HexFormat.of().parseHex(words[1])));
      case "encode" -> List.of("bytes", HexFormat.of().formatHex(request(words).encode()));
      case "connect", "tls" -> {
        close();
        sim = new Client(words[1], seconds(words[2]), words.length > 3 ? keys(words[3], words[4]) : null);
        yield List.of("connected", unsigned(sim.run()));
      }
      case "reconnect" -> {
        connected().reconnect();
        yield List.of("connected", unsigned(sim.run()));
      }
      case "use" -> {
        clients.put(using, sim);
        using = words[1];
        sim = clients.get(using);
        yield List.of("using", using);
      }
      case "ask" -> reply(connected(), words, 1);
      case "within" -> reply(connected().within(seconds(words[1])), words, 2);
      case "time" -> List.of("time", written(timed(words)));
      case "steps" -> List.of("time", written(stepped(Integer.parseInt(words[1]), values(words[2]))));
      case "state" -> {
        Message state = connected().state();
        yield List.of("state", written(state.target()), unsigned(state.tick()), list(state.params()), data(state.data()));
      }
      case "close" -> {
        close();
        yield List.of("closed");
      }
      default -> List.of("unsupported");
    };
  }

  private static Duration seconds(String text) {
    return Duration.ofMillis((long) (1000 * Double.parseDouble(text)));
  }

  private static Keys keys(String own, String server) {
    try {
      return Keys.of(Path.of(own), Path.of(server));
    } catch (IOException problem) {
      throw new CoopsimException.Lost(problem.getMessage());
    }
  }

  private static List<String> reply(Client client, String[] words, int first) {
    String target = (String) value(words[first]);
    Message reply = client.ask(target, natural(words[first + 1]), values(words[first + 2]), floats(words[first + 3]));
    return List.of("reply", unsigned(reply.tick()), list(reply.params()), data(reply.data()));
  }

  private double timed(String[] words) throws CoopsimException {
    Client client = connected();
    String target = (String) value(words[2]);
    int command = natural(words[3]);
    List<Object> params = values(words[4]);
    double[] data = floats(words[5]);
    long began = System.nanoTime();
    for (int left = Integer.parseInt(words[1]); left > 0; left--) {
      client.ask(target, command, params, data);
    }
    return (System.nanoTime() - began) * 1e-9;
  }

  private double stepped(int count, List<Object> robots) throws CoopsimException {
    String[] names = robots.toArray(String[]::new);
    try (Stepper stepper = new Stepper(connected(), names)) {
      long began = System.nanoTime();
      for (int left = count; left > 0; left--) {
        for (String name : names) {
          stepper.setDifferentialDrive(name, 0.25, 0.125);
        }
        Readings seen = stepper.step();
        for (String name : names) {
          if (seen.sonars(name).ranges().length == 0 || seen.differentialDrive(name).v() > 1) {
            throw new CoopsimException.Malformed(name + " sees nothing, or is too fast");
          }
        }
      }
      return (System.nanoTime() - began) * 1e-9;
    }
  }

  private Client connected() throws CoopsimException {
    if (sim == null) {
      throw new CoopsimException.Lost("there is no connection");
    }
    return sim;
  }

  private void close() {
    if (sim != null) {
      sim.close();
    }
    sim = null;
  }

  private static List<String> decoded(Message it) {
    return List.of(
        "message", unsigned(it.id()), written(it.target()), unsigned(it.tick()), written((long) it.error()),
        written(it.text()), written((long) it.command()), list(it.params()), data(it.data()));
  }

  private static Message request(String[] words) {
    return new Message(
        unsigned(words[1]), (String) value(words[2]), unsigned(words[3]), 0, "", natural(words[4]), values(words[5]),
        floats(words[6]), unsigned(words[7]));
  }

  private static String written(Object value) {
    if (value instanceof String text) {
      return "s:" + HexFormat.of().formatHex(text.getBytes(StandardCharsets.UTF_8));
    }
    return value instanceof Double number ? String.format("f:%016x", Double.doubleToRawLongBits(number)) : "i:" + value;
  }

  private static String unsigned(long value) {
    return "i:" + Long.toUnsignedString(value);
  }

  private static String list(List<?> values) {
    return values.stream().map(Conformance::written).collect(Collectors.joining(" "));
  }

  private static String data(double[] values) {
    return Arrays.stream(values).mapToObj(Conformance::written).collect(Collectors.joining(" "));
  }

  private static Object value(String text) {
    String rest = text.substring(2);
    return switch (text.charAt(0)) {
      case 's' -> new String(HexFormat.of().parseHex(rest), StandardCharsets.UTF_8);
      case 'f' -> Double.longBitsToDouble(Long.parseUnsignedLong(rest, 16));
      default -> new BigInteger(rest);
    };
  }

  private static long unsigned(String text) {
    return ((BigInteger) value(text)).longValue();
  }

  private static int natural(String text) {
    return ((BigInteger) value(text)).intValue();
  }

  private static List<Object> values(String text) {
    return Arrays.stream(text.split(" ")).filter(word -> !word.isEmpty()).map(Conformance::value).toList();
  }

  private static double[] floats(String text) {
    return values(text).stream().mapToDouble(value -> ((Number) value).doubleValue()).toArray();
  }
}
