package coopsim;

import java.util.Arrays;

/** The data of a message, run by run. */
final class Data {
  private final double[] all;
  private int behind;

  Data(Message message, int first) {
    all = message.data();
    behind = Math.min(first, all.length);
  }

  /** Returns the next values, so many. */
  double[] next(long count) {
    if (count < 0 || count > all.length - behind) {
      throw new CoopsimException.Malformed(count + " values where " + (all.length - behind) + " are left");
    }
    int first = behind;
    behind += (int) count;
    return Arrays.copyOfRange(all, first, behind);
  }
}
