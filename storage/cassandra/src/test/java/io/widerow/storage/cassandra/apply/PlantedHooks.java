package io.widerow.storage.cassandra.apply;

import io.widerow.storage.LaneArrivals;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.SourceRows;
import io.widerow.storage.cassandra.value.SegmentValue;
import java.util.List;
import java.util.SplittableRandom;

/// What the broken product does instead, see [PlantedApplyBugsTest].
public final class PlantedHooks {
  private static final SplittableRandom RANDOM = new SplittableRandom(1);

  private PlantedHooks() {}

  static void inMemoryOnly(RoundsFile file, Round round) {
    file.rounds().begun(round);
  }

  static void allInMemoryOnly(RoundsFile file, List<Round> all) {
    all.forEach(file.rounds()::begun);
  }

  public static void cut(Marks marks, int lane, long limit, long group, long bytes) {
    marks.add(lane, limit - 1, group, bytes);
  }

  public static byte[] cut(Marks marks, int lane, long limit, long bytes) {
    return marks.note(lane, limit - 1, bytes);
  }

  public static void remembers(Batches batches, int lane, int count) {}

  static boolean never(LaneArrivals position, LaneArrivals start) {
    return false;
  }

  static List<PendingBatch.LeftOut> nothingIsClaimed(
      Claims claims, Round round, long nowSeconds, long skewMillis) {
    return List.of();
  }

  static List<SourceRanges.Pending> noRangeIsClaimed(
      SourceClaims claims, long stamp, LaneArrivals to) {
    return List.of();
  }

  public static void forgetsRange(SourceRanges ranges, byte[] note) {}

  public static void remembersRanges(SourceRanges ranges, int lane, int many) {}

  public static List<SourceRows.Owed> nothingIsOwed(SourceRows rows) {
    return List.of();
  }

  static boolean withoutAsking(
      SingleDaemonCheck sole, Keyspace keyspace, RetryingStatements statements) {
    return sole.mayBe();
  }

  static LaneArrivals everything(Rounds rounds) {
    return rounds.lastApplied().to();
  }

  static boolean nothing(Rounds rounds) {
    return false;
  }

  static long asTheClockSays(Round round, long nowMicros) {
    return nowMicros;
  }

  static boolean sometimes(SegmentValue.Writer writer) {
    return writer.events() > 0 && RANDOM.nextInt(3) == 0;
  }
}
