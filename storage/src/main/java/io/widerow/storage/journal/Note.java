package io.widerow.storage.journal;

import java.util.Arrays;

/// Bytes that a lane's owner had remembered with a group. Nobody changes them.
public final class Note {
  private final long lsn;
  private final byte[] bytes;

  /// @param lsn the last frame of the group
  public Note(long lsn, byte[] bytes) {
    this.lsn = lsn;
    this.bytes = bytes;
  }

  public long lsn() {
    return lsn;
  }

  public byte[] bytes() {
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
