package io.widerow.cql.store;

/// A partition and its size.
///
/// - Threads: any; immutable.
public final class WidePartition {
  private final byte[] key;
  private final long rows;
  private final boolean exact;
  private final long bytes;

  /// @param key common prefix of all keys of the partition
  /// @param rows that it shows
  /// @param exact false when it has at most so many rows
  /// @param bytes that its rows take on disk; 0 while all of it is in memory
  public WidePartition(byte[] key, long rows, boolean exact, long bytes) {
    this.key = key.clone();
    this.rows = rows;
    this.exact = exact;
    this.bytes = bytes;
  }

  public byte[] key() {
    return key.clone();
  }

  public long rows() {
    return rows;
  }

  public boolean isExact() {
    return exact;
  }

  public long bytes() {
    return bytes;
  }

  @Override
  public String toString() {
    return "%d bytes of a key: %s%d rows, %d bytes"
        .formatted(key.length, exact ? "" : "at most ", rows, bytes);
  }
}
