package io.widerow.ingest;

import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.intake.ByteCredit;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchLedger;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.ingest.lane.BatchPart;
import io.widerow.ingest.lane.PositionLedger;
import io.widerow.ingest.lane.SourcePlace;
import io.widerow.storage.Durability;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.util.List;

/// The wrong behaviour of a daemon with a planted bug. Only classes that a [PlantLoader] has
/// changed call it.
public final class PlantHooks {
  private PlantHooks() {}

  /// Acknowledges a batch when it is appended.
  public static boolean answerAndAdd(List<Object> waiting, Object each) throws Exception {
    Method part = each.getClass().getDeclaredMethod("part");
    part.setAccessible(true);
    ((BatchPart) part.invoke(each))
        .done(new BatchOutcome.Stored(1, 0, new Refusals(), Durability.DISK));
    return waiting.add(each);
  }

  public static int unknown(BatchLedger unused, BatchKey key) {
    return -1;
  }

  public static Refusals nothingRefused(BatchLedger unused, int slot) {
    return new Refusals();
  }

  /// Of the outcomes of two parts of a batch, the better one.
  public static BatchOutcome nicer(BatchOutcome a, BatchOutcome b) {
    return a instanceof BatchOutcome.Stored ? a : b;
  }

  public static BatchKey whole(BatchKey key, int part) {
    return key;
  }

  public static int sameIndex(BatchPart unused, int index) {
    return index;
  }

  public static boolean freely(ByteCredit unused, long bytes) {
    return true;
  }

  public static boolean always(IncomingBatch unused, long nanos) {
    return true;
  }

  public static boolean nothingToCarry(PositionLedger unused, long limit) {
    return true;
  }

  public static PositionLedger.Turn always(PositionLedger unused, SourcePlace place) {
    return PositionLedger.Turn.NOW;
  }

  public static SourcePlace notOwed(SourcePlace place, Refusals unused) {
    return place;
  }

  public static List<Long> notOwed(SourcePlace unused) {
    return List.of();
  }

  public static ByteBuffer zero(ByteBuffer note, long unused) {
    return note.putLong(0);
  }
}
