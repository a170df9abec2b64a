package io.widerow.query.output;

import io.widerow.event.AttributeName;
import java.util.IdentityHashMap;
import java.util.function.Function;

/// A cache of the bytes that a writer puts for an attribute's name. It compares names by identity,
/// because a cursor returns the same objects again and again.
///
/// - Threads: one.
/// - Memory: at most [#NAMES_MAX] names; when full, it forgets all and starts again.
final class NameBytes {
  private static final int NAMES_MAX = 1 << 12;

  private final IdentityHashMap<AttributeName, byte[]> known = new IdentityHashMap<>();
  private final Function<AttributeName, byte[]> maker;

  NameBytes(Function<AttributeName, byte[]> maker) {
    this.maker = maker;
  }

  byte[] of(AttributeName name) {
    byte[] bytes = known.get(name);
    if (bytes == null) {
      if (known.size() == NAMES_MAX) {
        known.clear();
      }
      bytes = maker.apply(name);
      known.put(name, bytes);
    }
    return bytes;
  }
}
