package io.widerow.storage;

import java.util.Arrays;

/// Bytes that a lane's owner had remembered with a group. Nobody changes them.
final class Note {
  private final long lsn;
  private final byte[] bytes;

  /// @param lsn the last frame of the group
  Note(long lsn, byte[] bytes) {
    this.lsn = lsn;
    this.bytes = bytes;
  }

  long lsn() {
    return lsn;
  }

  byte[] bytes() {
    return bytes;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Note note && lsn == note.lsn && Arrays.equals(bytes, note.bytes);
  }

  @Override
  public int hashCode() {
    return Long.hashCode(lsn) * 31 + Arrays.hashCode(bytes);
  }
}
