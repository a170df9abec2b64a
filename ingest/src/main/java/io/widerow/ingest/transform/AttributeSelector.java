package io.widerow.ingest.transform;

import io.widerow.event.AttributeName;
import io.widerow.event.RecordEdit;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The field names of a transform: whole ones, and globs in which `*` stands for any text.
///
/// - Threads: any; immutable.
final class AttributeSelector {
  private final AttributeName[] whole;
  private final byte[][] globs;

  /// @param whole names as they are
  /// @param globs names with at least one `*`
  AttributeSelector(List<AttributeName> whole, List<String> globs) {
    this.whole = whole.toArray(new AttributeName[0]);
    List<byte[]> bytes = new ArrayList<>();
    globs.forEach(glob -> bytes.add(glob.getBytes(StandardCharsets.UTF_8)));
    this.globs = bytes.toArray(new byte[0][]);
  }

  /// True when the attribute at hand is one of these.
  boolean has(RecordEdit edit) {
    for (AttributeName name : whole) {
      if (edit.isNamed(name)) {
        return true;
      }
    }
    for (byte[] glob : globs) {
      if (matches(glob, edit)) {
        return true;
      }
    }
    return false;
  }

  /// Goes back to the last `*` when a byte differs: takes at most the product of both lengths.
  private static boolean matches(byte[] glob, RecordEdit edit) {
    int length = edit.nameBytes();
    int at = 0;
    int star = -1; // the last one in the glob
    int starAt = 0; // where what follows it is tried in the name
    for (int i = 0; i < length; ) {
      if (at < glob.length && glob[at] == '*') {
        star = at++;
        starAt = i;
      } else if (at < glob.length && glob[at] == edit.nameByte(i)) {
        at++;
        i++;
      } else if (star >= 0) {
        at = star + 1;
        i = ++starAt;
      } else {
        return false;
      }
    }
    while (at < glob.length && glob[at] == '*') {
      at++;
    }
    return at == glob.length;
  }
}
