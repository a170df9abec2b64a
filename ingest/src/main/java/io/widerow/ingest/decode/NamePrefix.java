package io.widerow.ingest.decode;

import io.widerow.event.EventLayout;
import java.util.Arrays;

/// The names of the objects around a member, each with a dot: nested objects become attributes with
/// names such as `user.address.city`.
///
/// - Threads: one.
/// - Memory: keeps its array.
public final class NamePrefix {
  /// What has a longer name is no attribute, so that no member needs a longer prefix.
  private static final int BYTES_MAX = EventLayout.NAME_BYTES_MAX + 1;

  private byte[] bytes = new byte[256];
  private int length;

  /// Bytes of all names around.
  public int length() {
    return length;
  }

  /// Forgets all names.
  public void clear() {
    length = 0;
  }

  /// Goes into an object of JSON.
  ///
  /// @param depth of the object that it is a member of
  /// @return false when it is nested too deep, or the names are too long together
  public boolean push(int depth, byte[] source, int offset, int nameBytes) {
    return depth < JsonScanner.DEPTH_MAX && push(source, offset, nameBytes);
  }

  /// Goes into an object.
  ///
  /// @return false when the names are too long together
  public boolean push(byte[] source, int offset, int nameBytes) {
    int needed = length + nameBytes + 1;
    if (needed > BYTES_MAX) {
      return false;
    }
    if (needed > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(needed, 2 * bytes.length));
    }
    System.arraycopy(source, offset, bytes, length, nameBytes);
    bytes[needed - 1] = '.';
    length = needed;
    return true;
  }

  /// Leaves objects, to the length that was before them.
  public void pop(int before) {
    length = before;
  }

  /// Adds a name with the names around it to a tape; a value must follow.
  ///
  /// @param inScratch whether the name is in the scratch of the tape, else in its body
  public void name(AttributeTape tape, boolean inScratch, byte[] body, int offset, int nameBytes) {
    if (length == 0) {
      tape.name(inScratch, offset, nameBytes);
      return;
    }
    int joined = join(tape, inScratch ? tape.scratch() : body, offset, nameBytes);
    tape.name(true, joined, tape.scratchLimit() - joined);
  }

  /// Writes a name with the names around it at the end of the scratch.
  ///
  /// @return where it begins there
  public int join(AttributeTape tape, byte[] source, int offset, int nameBytes) {
    int joined = tape.scratchLimit();
    tape.appendScratch(bytes, 0, length);
    tape.appendScratch(source, offset, nameBytes);
    return joined;
  }
}
