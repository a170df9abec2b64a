package io.widerow.storage.cassandra.keyspace;

/// Orders the rounds of one daemon: the epoch, which rises with each start of the daemon, and the
/// round within it, in one long. Rounds of one epoch have rising numbers, from 1. A stamp is the
/// `seq` of rows that a daemon applied, and the write time of the row that says how far it has
/// applied: the greatest stamp wins there, whatever clocks say.
public final class Stamp {
  /// Before the first round of the first epoch.
  public static final long NONE = 0;

  private static final int ROUND_BITS = 32;
  private static final long ROUND_MASK = (1L << ROUND_BITS) - 1;

  private Stamp() {}

  /// @param epoch 1 to 2^18
  /// @param round 0 to 2^32 - 1
  public static long of(int epoch, long round) {
    if (epoch < 1 || epoch > 1 << 18 || round < 0 || round > ROUND_MASK) {
      throw new IllegalArgumentException("epoch %d, round %d".formatted(epoch, round));
    }
    return ((long) epoch << ROUND_BITS) | round;
  }

  public static int epoch(long stamp) {
    return (int) (stamp >>> ROUND_BITS);
  }

  public static long round(long stamp) {
    return stamp & ROUND_MASK;
  }

  /// For messages: `epoch.round`.
  public static String text(long stamp) {
    return epoch(stamp) + "." + round(stamp);
  }
}
