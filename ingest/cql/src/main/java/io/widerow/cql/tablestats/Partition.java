package io.widerow.cql.tablestats;

import java.util.Arrays;
import java.util.Comparator;

/// A partition and what one source has of it.
///
/// - Threads: any; immutable.
public final class Partition {
  /// The one with the fewest rows first; of equal ones that of the greatest key.
  static final Comparator<Partition> NARROWEST =
      Comparator.comparingLong(Partition::rows)
          .thenComparing((one, other) -> Arrays.compareUnsigned(other.key, one.key));

  private final byte[] key;
  private final long rows;
  private final long marked;
  private final long expiry;

  /// @param key common prefix of all keys of the partition
  /// @param rows that something is live of
  /// @param marked rows that are live themselves, not only by their cells
  /// @param expiry Unix time in seconds from which the first part of a row has expired;
  ///   [Long#MAX_VALUE] when none does
  public Partition(byte[] key, long rows, long marked, long expiry) {
    this.key = key.clone();
    this.rows = rows;
    this.marked = marked;
    this.expiry = expiry;
  }

  public byte[] key() {
    return key.clone();
  }

  public long rows() {
    return rows;
  }

  public long marked() {
    return marked;
  }

  public long expiry() {
    return expiry;
  }

  boolean hasKey(byte[] other) {
    return Arrays.equals(key, other);
  }

  /// The order of their keys.
  int compareKey(Partition other) {
    return Arrays.compareUnsigned(key, other.key);
  }
}
