package io.widerow.storage.live;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.ScanWatch;
import io.widerow.storage.StorageException;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.segment.PartitionTable;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentIndex;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A segment that the manifest lists, and its open file; or the damage found, when the file is
/// missing or cannot be read. The segment is then quarantined: the manifest still lists its
/// contents, a reader of one of its partitions gets an error, and other readers are not affected.
///
/// - Threads: any.
/// - Memory: owns the file until [#close].
public final class LiveSegment extends LiveFile {
  private final SegmentEntry entry;
  private volatile long @Nullable [] partitionBytes; // computed on demand

  LiveSegment(SegmentEntry entry, Segment file) {
    super(file);
    this.entry = entry;
  }

  /// One that is quarantined.
  public LiveSegment(SegmentEntry entry, StorageException.Corrupt found) {
    super(found);
    this.entry = entry;
  }

  /// Null when it is quarantined.
  public @Nullable Segment file() {
    return file;
  }

  /// True when its blocks are kept elsewhere.
  public boolean isCold() {
    return file != null && !file.file().isHere();
  }

  /// True when a merge may take it as a source: no damage was found, and its blocks are here.
  public boolean mayMerge() {
    return isWhole() && !isCold();
  }

  public SegmentEntry entry() {
    return entry;
  }

  /// The partitions in it.
  public PartitionTable partitions() {
    return entry.partitions();
  }

  /// The bytes of each partition in the file, in their order. Shared parts, such as the index, are
  /// divided among the partitions, so that the sum is the size of the file.
  public long[] partitionBytes() {
    long[] known = partitionBytes;
    if (known == null) {
      known = divide();
      partitionBytes = known;
    }
    return known;
  }

  private long[] divide() {
    PartitionTable partitions = entry.partitions();
    long[] bytes = new long[partitions.size()];
    for (int i = 0; i < bytes.length; i++) {
      bytes[i] = file == null ? partitions.get(i).events() : blockBytes(file.indexes().get(i));
    }
    double whole = Math.max(1, LongStream.of(bytes).sum());
    long sum = 0;
    long given = 0;
    for (int i = 0; i < bytes.length; i++) {
      sum += bytes[i];
      long until = i == bytes.length - 1 ? entry.bytes() : (long) (entry.bytes() * (sum / whole));
      bytes[i] = until - given;
      given = until;
    }
    return bytes;
  }

  private static long blockBytes(SegmentIndex index) {
    long bytes = 0;
    for (int block = 0; block < index.blocks; block++) {
      bytes += index.blockBytes(block);
    }
    return bytes;
  }

  /// The share of each type in its bucket in this segment, one weight for each partition.
  Stream<RetentionSnapshot.Weight> weights() {
    long until = SegmentSet.bucketOf(this).untilNanos();
    long[] bytes = partitionBytes();
    PartitionTable partitions = entry.partitions();
    return IntStream.range(0, bytes.length)
        .mapToObj(
            i -> new RetentionSnapshot.Weight(partitions.get(i).key().type(), until, bytes[i]));
  }

  /// The file, to read a partition from. The caller must hold a lease.
  ///
  /// @throws StorageException.Corrupt when it is quarantined
  public Segment fileFor(PartitionKey key) {
    if (file == null) {
      throw found().in(key);
    }
    return file;
  }

  /// The same for a scan, which may skip the segment.
  ///
  /// @param wanted the part of the partition in this segment
  /// @return null when the scan skips the segment
  public @Nullable Segment fileFor(PartitionInfo wanted, ScanWatch watch) {
    if (file == null) {
      StorageException.Corrupt told = found().in(wanted.key());
      if (!watch.passesOver(ScanWatch.Unread.of(told, Damage.Kind.SEGMENT, wanted))) {
        throw told;
      }
    }
    return file;
  }

  /// The ids of some segments.
  public static Set<Long> ids(Collection<LiveSegment> segments) {
    return segments.stream().map(live -> live.entry.id()).collect(Collectors.toSet());
  }

  @Override
  List<PartitionInfo> infos() {
    return entry.infos();
  }
}
