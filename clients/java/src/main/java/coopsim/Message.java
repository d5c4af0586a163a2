package coopsim;

import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import org.msgpack.core.MessageBufferPacker;
import org.msgpack.core.MessageFormat;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessagePackException;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;
import org.msgpack.value.ValueType;

/**
 * A request or a reply, its fields in the order of the protocol.
 *
 * @param id chosen by the client, echoed; unsigned
 * @param params each an integer (Long or BigInteger), a Double or a String
 * @param run of requests: the run that is meant, 0 = whichever is there; unsigned
 */
public record Message(
    long id, String target, long tick, int error, String text, int command, List<Object> params, double[] data, long run) {

  private static final int VERSION = 1;
  private static final int FIELDS = 9;

  /** Return the bytes of this message. */
  public byte[] encode() {
    try (MessageBufferPacker out = MessagePack.newDefaultBufferPacker()) {
      out.packArrayHeader(run == 0 ? FIELDS : FIELDS + 1).packInt(VERSION);
      packUnsigned(out, id).packString(target);
      packUnsigned(out, tick).packInt(error).packString(text).packInt(command).packArrayHeader(params.size());
      for (Object param : params) {
        packParam(out, param);
      }
      ByteBuffer values = ByteBuffer.allocate(Double.BYTES * data.length).order(ByteOrder.LITTLE_ENDIAN);
      values.asDoubleBuffer().put(data);
      out.packBinaryHeader(values.capacity()).writePayload(values.array());
      if (run != 0) {
        packUnsigned(out, run);
      }
      return out.toByteArray();
    } catch (IOException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  private static MessageBufferPacker packUnsigned(MessageBufferPacker out, long value) throws IOException {
    if (value >= 0) {
      out.packLong(value);
    } else {
      out.packBigInteger(new BigInteger(Long.toUnsignedString(value)));
    }
    return out;
  }

  private static void packParam(MessageBufferPacker out, Object param) throws IOException {
    if (param instanceof String text) {
      out.packString(text);
    } else if (param instanceof Double value) {
      out.packDouble(value);
    } else if (param instanceof BigInteger value) {
      out.packBigInteger(value);
    } else if (param instanceof Number value) {
      out.packLong(value.longValue());
    } else {
      throw new IllegalArgumentException("a param is an integer, a Double or a String, not " + param);
    }
  }

  /** Return the message of some bytes; later fields are passed over. */
  public static Message decode(byte[] raw) throws CoopsimException.Malformed {
    try (MessageUnpacker in = MessagePack.newDefaultUnpacker(raw)) {
      if (in.unpackArrayHeader() < FIELDS || in.unpackInt() != VERSION) {
        throw new CoopsimException.Malformed("not the nine fields of a message of version " + VERSION);
      }
      return new Message(
          unsigned(in), in.unpackString(), unsigned(in), in.unpackInt(), in.unpackString(), in.unpackInt(), params(in), data(in), 0);
    } catch (IOException | MessagePackException problem) {
      throw new CoopsimException.Malformed(problem.toString());
    }
  }

  private static long unsigned(MessageUnpacker in) throws IOException {
    if (in.getNextFormat() == MessageFormat.UINT64) {
      return in.unpackBigInteger().longValue();
    }
    long value = in.unpackLong();
    if (value < 0) {
      throw new MessagePackException(value + " where no number below 0 is meant");
    }
    return value;
  }

  private static List<Object> params(MessageUnpacker in) throws IOException {
    int count = in.unpackArrayHeader();
    List<Object> params = new ArrayList<>(count);
    for (; count > 0; count--) {
      params.add(param(in.unpackValue()));
    }
    return params;
  }

  private static Object param(Value value) {
    if (value.isStringValue()) {
      return value.asStringValue().asString();
    }
    if (value.isFloatValue()) {
      return value.asFloatValue().toDouble();
    }
    var number = value.asIntegerValue();
    return number.isInLongRange() ? (Object) number.asLong() : number.asBigInteger();
  }

  private static double[] data(MessageUnpacker in) throws IOException {
    if (in.getNextFormat().getValueType() == ValueType.BINARY) {
      int size = in.unpackBinaryHeader();
      if (size % Double.BYTES != 0) {
        throw new MessagePackException("data of " + size + " bytes");
      }
      ByteBuffer raw = ByteBuffer.wrap(in.readPayload(size)).order(ByteOrder.LITTLE_ENDIAN);
      double[] data = new double[raw.remaining() / Double.BYTES];
      raw.asDoubleBuffer().get(data);
      return data;
    }
    double[] data = new double[in.unpackArrayHeader()];
    for (int place = 0; place < data.length; place++) {
      boolean whole = in.getNextFormat().getValueType() == ValueType.INTEGER;
      data[place] = whole ? in.unpackBigInteger().doubleValue() : in.unpackDouble();
    }
    return data;
  }
}
