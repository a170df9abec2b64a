package io.widerow.query;

import io.widerow.event.AttributeName;
import java.util.IdentityHashMap;
import java.util.function.Function;

/// What a writer puts for the name of an attribute, made once: a cursor hands out the same name
/// again and again.
///
/// - Threads: one.
/// - Memory: some thousand names; when there are more it forgets all and begins again.
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
