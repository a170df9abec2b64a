package io.widerow.storage.segment;

import io.widerow.event.PartitionKey;
import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.Lease;
import io.widerow.storage.disk.ReadDeadline;
import io.widerow.storage.sketch.RollupIndex;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A sealed part of some partitions: a file that never changes.
///
/// - Threads: any.
/// - Memory: the index, outside the heap. The file stays open while the owner or any reader holds a
///   lease; each open cursor holds one.
public final class Segment implements AutoCloseable {
  private static final int TOUCHED_BYTES = 64 << 10;

  private final DiskFile file;
  private final Lease lease;
  private final UUID storeId;
  private final long segmentId;
  private final long bytes;
  private SegmentIndexes indexes = SegmentIndexes.of(List.of());
  private SegmentGroups groups = SegmentGroups.NONE;
  private SegmentOrigin origin = SegmentOrigin.NONE;
  private SegmentCells cells = SegmentCells.NONE;
  private RollupIndex rollups = RollupIndex.NONE;
  private long indexOffset;
  private boolean figures; // without blocks
  private long events;
  private volatile @Nullable Damage damage;
  private Runnable retired = () -> {};

  private Segment(DiskFile file, UUID storeId, long segmentId) {
    this.file = file;
    this.storeId = storeId;
    this.segmentId = segmentId;
    this.bytes = file.size();
    this.lease = new Lease(this::free);
  }

  /// Opens a file and reads header, index and footer, not the blocks.
  ///
  /// @throws StorageException.Corrupt when it is not a whole segment of this store and number
  /// @throws StorageException.Incompatible when a newer program wrote it
  public static Segment open(Disk disk, Path path, UUID storeId, long segmentId) {
    return open(disk.open(path), storeId, segmentId);
  }

  /// The same for a file that is open, wherever it is kept.
  ///
  /// @param file belongs to the segment from now on, and is closed when this fails
  public static Segment open(DiskFile file, UUID storeId, long segmentId) {
    try {
      Segment segment = new Segment(file, storeId, segmentId);
      segment.readFooter(segment.readHeader());
      return segment;
    } catch (Throwable failure) {
      file.close();
      throw failure;
    }
  }

  /// A segment whose own index cannot be read, with the blocks that a salvage found.
  ///
  /// @param file belongs to the segment from now on
  public static Segment of(DiskFile file, UUID storeId, long segmentId, List<SegmentIndex> found) {
    Segment segment = new Segment(file, storeId, segmentId);
    segment.indexes = SegmentIndexes.of(found);
    segment.events = found.stream().mapToLong(index -> index.partition.events()).sum();
    return segment;
  }

  /// Returns the features.
  private long readHeader() {
    if (bytes < SegmentFormat.HEADER_BYTES + SegmentFormat.FOOTER_BYTES) {
      throw new StorageException.Corrupt(path(), bytes, "a file of " + bytes + " bytes");
    }
    byte[] header = read(0, SegmentFormat.HEADER_BYTES);
    ByteSource in = new ByteSource(path()).over(header, 0, SegmentFormat.HEADER_BYTES, 0);
    if (in.readLong() != SegmentFormat.MAGIC) {
      throw new StorageException.Corrupt(path(), 0, "no segment: the magic is wrong");
    }
    int crcAt = SegmentFormat.headerOffset("crc32c");
    if (crc(header, 0, crcAt, 0) != (int) ByteSink.INT.get(header, crcAt)) {
      throw new StorageException.Corrupt(
          path(), 0, "the header is damaged, or of another segment or store");
    }
    int version = in.readInt();
    in.readInt();
    long incompatible = in.readLong();
    if (version != SegmentFormat.VERSION
        || (incompatible & ~SegmentFormat.INCOMPATIBLE_KNOWN) != 0) {
      throw new StorageException.Incompatible(
          path(),
          "segment of format %d with features %x; this program reads format %d with features %x"
              .formatted(
                  version, incompatible, SegmentFormat.VERSION, SegmentFormat.INCOMPATIBLE_KNOWN));
    }
    return incompatible;
  }

  private void readFooter(long features) {
    long footerAt = bytes - SegmentFormat.FOOTER_BYTES;
    byte[] footer = read(footerAt, SegmentFormat.FOOTER_BYTES);
    int crcAt = SegmentFormat.footerOffset("crc32c");
    if ((long) ByteSink.LONG.get(footer, SegmentFormat.footerOffset("magic")) != SegmentFormat.MAGIC
        || crc(footer, 0, crcAt, footerAt) != (int) ByteSink.INT.get(footer, crcAt)) {
      throw new StorageException.Corrupt(path(), footerAt, "the footer is missing or damaged");
    }
    ByteSource in = new ByteSource(path()).over(footer, 0, SegmentFormat.FOOTER_BYTES, footerAt);
    indexOffset = in.readLong();
    int indexBytes = in.readInt();
    int indexCrc = in.readInt();
    int partitionCount = in.readInt();
    in.readInt();
    events = in.readLong();
    if (indexOffset < SegmentFormat.HEADER_BYTES
        || indexBytes < 0
        || indexBytes > SegmentFormat.INDEX_BYTES_MAX
        || indexOffset + indexBytes != footerAt) {
      throw in.corrupt(
          "index of %d bytes at %d, footer at %d".formatted(indexBytes, indexOffset, footerAt));
    }
    byte[] indexed = read(indexOffset, indexBytes);
    if (crc(indexed, 0, indexBytes, indexOffset) != indexCrc) {
      throw new StorageException.Corrupt(path(), indexOffset, "the index is damaged");
    }
    ByteSource index = new ByteSource(path()).over(indexed, 0, indexBytes, indexOffset);
    figures = (features & SegmentFormat.FEATURE_FIGURES) != 0;
    int blocks = readIndex(index, partitionCount, indexOffset);
    if (!figures) {
      groups = SegmentGroups.read(index, blocks, indexOffset);
    }
    origin = SegmentOrigin.read(index);
    if ((features & SegmentFormat.FEATURE_CELLS) != 0) {
      cells = SegmentCells.read(index, partitionCount, indexOffset);
      rollups = RollupIndex.read(index, partitionCount, indexOffset - cells.bytes());
    }
    index.requireEnd("the index");
  }

  /// Returns how many blocks there are.
  private int readIndex(ByteSource in, int partitionCount, long limit) {
    long sum = 0;
    int blocks = 0;
    PartitionKey last = null;
    List<SegmentIndex> read = new ArrayList<>();
    for (int i = 0; i < partitionCount; i++) {
      SegmentIndex entry =
          figures ? SegmentIndex.readFigures(in) : SegmentIndex.read(in, blocks, limit);
      blocks += entry.blocks;
      PartitionKey key = entry.partition.key();
      if (last != null && last.compareTo(key) >= 0) {
        throw in.corrupt("partition %s behind %s".formatted(key, last));
      }
      last = key;
      read.add(entry);
      sum += entry.partition.events();
    }
    if (sum != events) {
      throw in.corrupt("%d events in partitions, %d in the footer".formatted(sum, events));
    }
    indexes = SegmentIndexes.of(read);
    return blocks;
  }

  /// Refuses a file that is a whole segment, but not the one that the manifest lists. Otherwise it
  /// shares the manifest's table of partitions from now on.
  ///
  /// @param listedBytes size of the file that the manifest lists
  /// @param listed partitions of that file
  /// @throws StorageException.Corrupt when size or partitions differ
  public void requireHolds(long listedBytes, PartitionTable listed) {
    if (bytes != listedBytes) {
      throw new StorageException.Corrupt(
          path(), bytes, "%d bytes long, the manifest says %d".formatted(bytes, listedBytes));
    }
    if (!partitions().equals(listed)) {
      throw new StorageException.Corrupt(
          path(), 0, "it holds other partitions than the manifest says");
    }
    indexes = indexes.sharing(listed);
  }

  /// A new array with bytes of the file, and slack after them.
  private byte[] read(long offset, int length) {
    byte[] target = new byte[length + ByteSource.SLACK];
    long done = file.read(MemorySegment.ofArray(target).asSlice(0, length), offset);
    if (done != length) {
      throw new StorageException.Corrupt(
          path(), offset, "%d bytes where %d were expected".formatted(done, length));
    }
    return target;
  }

  private int crc(byte[] source, int offset, int length, long fileOffset) {
    return checksum().of(source, offset, length, fileOffset);
  }

  public Path path() {
    return file.path();
  }

  public long segmentId() {
    return segmentId;
  }

  long events() {
    return events;
  }

  /// Size of the file.
  long bytes() {
    return bytes;
  }

  /// True for a file of aggregates: it has cells, and no events.
  public boolean isOfFigures() {
    return figures;
  }

  /// Its content in short.
  public SegmentSummary summary() {
    return new SegmentSummary(segmentId, partitions(), events, bytes);
  }

  /// Its origin; empty for a segment that a repair wrote.
  public SegmentOrigin origin() {
    return origin;
  }

  /// The partitions in it.
  public PartitionTable partitions() {
    return indexes.partitions();
  }

  /// Where the blocks of a partition lie; null when it is not here.
  public @Nullable SegmentIndex index(PartitionKey key) {
    return indexes.of(key);
  }

  /// Reads a part of the file into the kernel's page cache.
  public void touch(long offset, int length, StoreView.Fetches fetches) {
    file.expect(offset, length);
    MemorySegment scratch = MemorySegment.ofArray(new byte[Math.min(length, TOUCHED_BYTES)]);
    for (long at = 0; at < length; at += scratch.byteSize()) {
      long bytes = Math.min(scratch.byteSize(), length - at);
      file.read(scratch.asSlice(0, bytes), offset + at, fetches);
    }
  }

  /// Where the blocks lie, in the order of partitions.
  public SegmentIndexes indexes() {
    return indexes;
  }

  /// Where the filters of its groups of blocks lie.
  public SegmentGroups groups() {
    return groups;
  }

  /// Where the cells of its partitions lie.
  public SegmentCells cells() {
    return cells;
  }

  /// Where the cells of defined rollups lie.
  public RollupIndex rollups() {
    return rollups;
  }

  /// A reader of these filters.
  public GroupFilter groupFilter(ReadDeadline deadline) {
    PieceReader pieces = new PieceReader(file, checksum());
    pieces.limitTo(deadline);
    return new GroupFilter(pieces, groups);
  }

  /// Its file, for a reader that holds a lease.
  public DiskFile file() {
    return file;
  }

  /// Computes the checksums of its pieces.
  public SegmentChecksum checksum() {
    return new SegmentChecksum(storeId, segmentId);
  }

  /// Offset from which on it has cells, index and footer: what planning and counting need.
  public long tailOffset() {
    return indexOffset - cells.bytes() - rollups.bytes();
  }

  /// Reads the whole file, checks every checksum, that every byte belongs to something, and that
  /// cells count their events.
  ///
  /// @throws StorageException.Corrupt names the first piece that is wrong
  public void verify() {
    long left = tailOffset() - SegmentFormat.HEADER_BYTES;
    if (figures) {
      CellsCheck.figures(this);
      requireNoRest(left);
      return;
    }
    CellsCheck counted = new CellsCheck(this);
    try (BlockReader reader = new BlockReader(file, checksum())) {
      for (int partition = 0; partition < indexes.size(); partition++) {
        SegmentIndex blocks = indexes.get(partition);
        counted.begin(partition);
        for (int i = 0; i < blocks.blocks; i++) {
          reader.verify(blocks, i);
          counted.add(reader.ids(), blocks.events(i));
          left -= blocks.blockBytes(i);
        }
        counted.end();
      }
    }
    if (rollups.isThere()) {
      CellsCheck.rollups(this);
    }
    GroupFilter filter = groupFilter(ReadDeadline.NONE);
    for (int group = 0; group < groups.groups; group++) {
      filter.verify(group);
      left -= groups.bytes[group];
    }
    requireNoRest(left);
  }

  private void requireNoRest(long left) {
    if (left != 0) {
      throw new StorageException.Corrupt(
          path(), indexOffset, left + " bytes before the index that belong to nothing");
    }
  }

  /// Remembers the first damage that a reader meets, for the owner.
  ///
  /// @return the error for the reader
  public StorageException.Corrupt damaged(
      StorageException.Corrupt told, PartitionKey key, int block) {
    StorageException.Corrupt named = told.in(key, block);
    SegmentIndex blocks = index(key);
    Damage known = damage;
    if ((known == null || !known.kind().isOfEvents()) && blocks != null) {
      damage = named.damage(Damage.Kind.BLOCK, List.of(blocks.info(block)));
    }
    return named;
  }

  /// Remembers that a filter cannot be read; its blocks can.
  public void filterDamaged(StorageException.Corrupt told) {
    if (damage == null) {
      damage = told.damage(Damage.Kind.FILTER, List.of());
    }
  }

  /// Remembers that cells cannot be read; the events that they count can.
  public void cellsDamaged(StorageException.Corrupt told) {
    if (damage == null) {
      damage = told.damage(Damage.Kind.CELLS, List.of());
    }
  }

  /// The first damage that a reader met; null when no reader met any.
  public @Nullable Damage damage() {
    return damage;
  }

  /// Keeps the file open until [#release]; false when it is closed already.
  public boolean tryAcquire() {
    return lease.tryAcquire();
  }

  public void release() {
    lease.release();
  }

  /// Gives the owner's lease back.
  @Override
  public void close() {
    lease.release();
  }

  /// The same, and deletes the file when no reader uses it any more.
  ///
  /// @param delete must not throw; the thread of the last reader runs it
  public void retire(Runnable delete) {
    retired = delete; // published to the last holder by the release of the lease
    lease.release();
  }

  private void free() {
    file.close();
    retired.run();
  }
}
