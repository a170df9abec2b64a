package io.widerow.storage.embedded;

import io.widerow.faults.CutDisk;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFrame;
import io.widerow.storage.journal.NativeFile;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.GuardedClock;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.Released;
import io.widerow.storage.live.SegmentArrivals;
import io.widerow.storage.live.SegmentInventory;
import io.widerow.storage.live.StoreContents;
import io.widerow.storage.maintenance.MergePace;
import io.widerow.storage.maintenance.SealJob;
import io.widerow.storage.maintenance.Sealer;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.recovery.FrameSink;
import io.widerow.storage.recovery.JournalRecovery;
import io.widerow.storage.rows.OpenRow;
import io.widerow.storage.rows.OpenRows;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentChecksum;
import io.widerow.storage.segment.SegmentOrigin;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.function.Predicate;

/// Planted bugs: what a broken product does instead of the right thing. Only classes that a
/// [PlantLoader] has changed call these methods.
public final class PlantHooks {
  private static final int NOTES_CRC_OFFSET = 32;
  private static final int INDEX_CRC_OFFSET = 12; // in a segment's footer
  private static int indexCrc;

  private PlantHooks() {}

  public static int bodyCrc(MemorySegment frame, JournalFrame.Checksum unused, int lane) {
    return JournalFrame.bodyCrc(frame);
  }

  public static int headerCrc(MemorySegment frame, JournalFrame.Checksum unused, int lane) {
    return JournalFrame.headerCrc(frame);
  }

  public static int editCrc(Manifest unused, long offset, ByteBuffer edit) {
    return edit.getInt(edit.position() - Integer.BYTES);
  }

  public static int pieceCrc(
      SegmentChecksum unused, byte[] bytes, int offset, int length, long at) {
    return (int) ByteSink.INT.get(bytes, offset + length);
  }

  public static int pieceCrc(Segment unused, byte[] bytes, int offset, int length, long at) {
    return (int) ByteSink.INT.get(bytes, offset + length);
  }

  public static int footerCrc(Segment unused, byte[] footer, int offset, int length, long at) {
    indexCrc = (int) ByteSink.INT.get(footer, INDEX_CRC_OFFSET);
    return (int) ByteSink.INT.get(footer, offset + length);
  }

  public static int indexCrc(Segment unused, byte[] index, int offset, int length, long at) {
    return indexCrc;
  }

  public static int notesCrc(byte[] content) {
    return ByteBuffer.wrap(content).getInt(NOTES_CRC_OFFSET);
  }

  public static void trimAhead(Journal journal, long lsn) {
    journal.trim(lsn + 8);
  }

  /// Trims the journal before the manifest says that the rows are in segments.
  public static void trimFirst(Sealer sealer, SealJob job, List<LiveSegment> written) {
    Journal journal = job.journal();
    if (journal != null) {
      journal.trim(job.rows().lsnLast());
    }
    sealer.commit(job, written);
  }

  /// Deletes the old journals after reading them, before their content is sealed.
  public static void replayAndDelete(JournalRecovery recovery, FrameSink replay) throws Exception {
    recovery.replay(replay);
    Field journals = JournalRecovery.class.getDeclaredField("journals");
    journals.setAccessible(true);
    ((Journal.Factory) journals.get(recovery)).deleteReplayed();
  }

  /// Tells the failure and goes on.
  public static StorageException tell(StoreContents unused, String action, RuntimeException cause) {
    return new StorageException.Failed(action, cause);
  }

  public static int witnessCrc(MemorySegment copy, UUID unused) {
    return copy.get(ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN), 8);
  }

  static long committed(EmbeddedLane lane) {
    return lane.committedLsn();
  }

  public static long nothingReserved(Witness.Lane unused) {
    return 0;
  }

  public static long nothingDurable(MemorySegment unused) {
    return 0;
  }

  public static long allDurable(MemorySegment frame) {
    return JournalFrame.lsn(frame);
  }

  public static long first(long first, long unused) {
    return first;
  }

  public static long second(long unused, long second) {
    return second;
  }

  public static long oneMore(LaneArrivals position) {
    return position.segmentLimit() + 1;
  }

  public static long oneMore(LaneArrivals position, int lane, int lanes) {
    return position.limitOfLane(lane, lanes) + 1;
  }

  public static long oneMore(Released released, int shard) {
    long limit = released.limitOf(shard);
    return limit == 0 ? 0 : limit + 1;
  }

  public static long oneMore(ManifestEdit edit) {
    return edit.segmentIdNext() + 1;
  }

  public static boolean never(OpenRows.View unused, OpenRow row, LaneArrivals since) {
    return false;
  }

  public static boolean always(SegmentInventory unused) {
    return true;
  }

  public static boolean always(StoreContents unused) {
    return true;
  }

  public static boolean always(SegmentArrivals unused, LiveSegment segment) {
    return true;
  }

  /// Passes over every other event.
  public static boolean everySecond(EventCursor events) {
    boolean passed = EventCursor.nextLocal(events);
    return passed && EventCursor.nextLocal(events);
  }

  public static boolean always(Duration unused) {
    return true;
  }

  public static ManifestSections later(ManifestSections unused, ManifestSections later) {
    return later;
  }

  public static SegmentOrigin alone(SegmentOrigin origin, List<Long> unused) {
    return origin;
  }

  public static boolean always(BooleanSupplier unused) {
    return true;
  }

  public static boolean never(Predicate<?> unused, Object losses) {
    return false;
  }

  public static int wholeGroup(MemorySegment unused) {
    return JournalFrame.STARTS_GROUP | JournalFrame.ENDS_GROUP;
  }

  public static long noMark(Manifest unused) {
    return Long.MIN_VALUE;
  }

  public static long noMark(GuardedClock unused) {
    return Long.MIN_VALUE;
  }

  public static Map<Integer, Long> nothingSealed(Manifest unused) {
    return Map.of();
  }

  public static void noForce(Disk unused, java.nio.file.Path directory) {}

  /// Merges do not wait: a check that runs while rows are sealed makes the seal long.
  public static boolean goOn(MergePace unused, BooleanSupplier urgent) {
    return true;
  }

  public static void forced(NativeFile file) {
    CutDisk.forced(file);
  }

  public static void replaceUnforced(Disk disk, Path file, Path temporary, byte[] bytes) {
    disk.delete(temporary);
    try (DiskFile created = disk.create(temporary)) {
      created.write(MemorySegment.ofArray(bytes), 0);
    }
    disk.rename(temporary, file);
  }
}
