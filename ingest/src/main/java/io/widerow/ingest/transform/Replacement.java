package io.widerow.ingest.transform;

import com.google.re2j.Matcher;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// The text that replaces a match: its own bytes, and groups of the expression.
///
/// - Threads: any; immutable.
final class Replacement {
  private final List<byte[]> texts; // one more than the groups, which stand between them
  private final int[] groups;

  private Replacement(List<byte[]> texts, int[] groups) {
    this.texts = List.copyOf(texts);
    this.groups = groups;
  }

  /// @param text in which `$1` to `$9` are groups and `$$` is a dollar sign
  /// @throws IllegalArgumentException when there is no such group
  static Replacement of(String text, int groupCount) {
    List<byte[]> texts = new ArrayList<>();
    List<Integer> groups = new ArrayList<>();
    StringBuilder own = new StringBuilder();
    int i = 0;
    while (i < text.length()) {
      char c = text.charAt(i++);
      if (c != '$') {
        own.append(c);
        continue;
      }
      char next = i < text.length() ? text.charAt(i++) : ' ';
      if (next == '$') {
        own.append('$');
      } else if (next >= '1' && next <= '9' && next - '0' <= groupCount) {
        texts.add(own.toString().getBytes(StandardCharsets.UTF_8));
        groups.add(next - '0');
        own.setLength(0);
      } else {
        throw new IllegalArgumentException(
            "$ in a replacement is followed by $ or the number of a group; there are "
                + groupCount);
      }
    }
    texts.add(own.toString().getBytes(StandardCharsets.UTF_8));
    return new Replacement(texts, groups.stream().mapToInt(Integer::intValue).toArray());
  }

  /// The text, of a replacement without groups.
  byte[] whole() {
    assert groups.length == 0 : "there are groups";
    return texts.getFirst();
  }

  /// Writes the replacement of the match at hand.
  ///
  /// @param text that was searched
  void write(Matcher match, byte[] text, ByteArrayOutputStream out) {
    for (int i = 0; i < groups.length; i++) {
      out.writeBytes(texts.get(i));
      int start = match.start(groups[i]);
      if (start >= 0) {
        out.write(text, start, match.end(groups[i]) - start);
      }
    }
    out.writeBytes(texts.getLast());
  }
}
