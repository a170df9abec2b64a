package io.widerow.ingest;

import io.widerow.storage.Durability;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Method;
import java.util.List;

/// The wrong behaviour of a daemon with a planted bug. Only classes that a [PlantLoader] has
/// changed call it.
final class PlantHooks {
  private PlantHooks() {}

  /// Acknowledges a batch when it is appended.
  static boolean answerAndAdd(List<Object> waiting, Object each) throws Exception {
    Method part = each.getClass().getDeclaredMethod("part");
    part.setAccessible(true);
    ((BatchPart) part.invoke(each)).done(new Outcome.Stored(1, 0, new Refusals(), Durability.DISK));
    return waiting.add(each);
  }

  static int unknown(BatchLedger unused, BatchKey key) {
    return -1;
  }

  static Refusals nothingRefused(BatchLedger unused, int slot) {
    return new Refusals();
  }

  /// Of the outcomes of two parts of a batch, the better one.
  static Outcome nicer(Outcome a, Outcome b) {
    return a instanceof Outcome.Stored ? a : b;
  }

  static BatchKey whole(BatchKey key, int part) {
    return key;
  }

  static int sameIndex(BatchPart unused, int index) {
    return index;
  }

  static boolean freely(ByteCredit unused, long bytes) {
    return true;
  }

  static long longAgo(MemorySegment unused, long offset) {
    return Long.MIN_VALUE;
  }
}
