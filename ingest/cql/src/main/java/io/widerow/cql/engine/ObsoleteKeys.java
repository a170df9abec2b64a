package io.widerow.cql.engine;

import io.widerow.cql.store.KeySpan;
import java.util.List;

/// Keys of obsolete rows, such as rows of a dropped table. They stay where they are until a file is
/// written without them.
///
/// - Threads: any; immutable. A [Sweep] has one.
final class ObsoleteKeys {
  static final ObsoleteKeys NOTHING = new ObsoleteKeys(List.of());

  private final List<KeySpan> spans;

  /// @param spans in any order; none meets another
  ObsoleteKeys(List<KeySpan> spans) {
    this.spans = spans.stream().sorted().toList();
  }

  boolean isEmpty() {
    return spans.isEmpty();
  }

  /// True when all keys between two, both inclusive, are forgotten.
  boolean holdsAll(byte[] least, byte[] greatest) {
    return spans.stream()
        .anyMatch(span ->
            span.compareKey(least, least.length) == 0
                && span.compareKey(greatest, greatest.length) == 0);
  }

  Sweep sweep() {
    return new Sweep();
  }

  /// Tests ascending keys for being obsolete.
  final class Sweep {
    private int at;

    /// @param bytes of the key, the first ones of the array
    boolean holds(byte[] key, int bytes) {
      while (at < spans.size()) {
        int order = spans.get(at).compareKey(key, bytes);
        if (order <= 0) {
          return order == 0;
        }
        at++;
      }
      return false;
    }
  }
}
