package io.widerow.storage.journal;

import java.util.Arrays;

/// Opaque bytes that a lane's owner stored with a group. Immutable.
public final class Note {
  private final long lsn;
  private final byte[] bytes;

  /// @param lsn LSN of the group's last frame
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
