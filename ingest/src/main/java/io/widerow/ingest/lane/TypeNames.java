package io.widerow.ingest.lane;

import io.widerow.event.ByteHash;
import java.lang.foreign.MemorySegment;
import org.jspecify.annotations.Nullable;

/// A set of names of types, open-addressed over their bytes. It only grows.
///
/// - Threads: any may call [#has]; one at a time adds. A caller that asks while a name is added may
///   not find it yet.
final class TypeNames {
  private static final int SLOTS_MIN = 64; // a power of two

  private final ByteHash hashes = new ByteHash();
  private volatile @Nullable Name[] slots = new Name[SLOTS_MIN];
  private int count;

  private record Name(int hash, MemorySegment utf8) {
    boolean is(int otherHash, MemorySegment memory, long from, int bytes) {
      return hash == otherHash
          && utf8.byteSize() == bytes
          && MemorySegment.mismatch(memory, from, from + bytes, utf8, 0, bytes) < 0;
    }
  }

  boolean has(MemorySegment memory, long from, int bytes) {
    @Nullable Name[] now = slots;
    int hash = hashes.of(memory, from, bytes);
    int mask = now.length - 1;
    for (int at = hash & mask; ; at = (at + 1) & mask) {
      Name name = now[at];
      if (name == null) {
        return false;
      }
      if (name.is(hash, memory, from, bytes)) {
        return true;
      }
    }
  }

  /// Adds a name that is not there.
  void add(byte[] utf8) {
    MemorySegment bytes = MemorySegment.ofArray(utf8.clone());
    @Nullable Name[] now = slots;
    if (2 * ++count > now.length) {
      @Nullable Name[] larger = new Name[2 * now.length];
      for (Name name : now) {
        if (name != null) {
          place(name, larger);
        }
      }
      now = larger;
    }
    place(new Name(hashes.of(bytes, 0, utf8.length), bytes), now);
    slots = now; // shows the name to other threads
  }

  private static void place(Name name, @Nullable Name[] in) {
    int mask = in.length - 1;
    int at = name.hash & mask;
    while (in[at] != null) {
      at = (at + 1) & mask;
    }
    in[at] = name;
  }

  int count() {
    return count;
  }
}
