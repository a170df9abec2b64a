package io.widerow.storage.manifest;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.segment.SegmentOrigin;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// The manifest log: the record of which segments are live, and the only truth about that after a
/// crash. Each edit is forced before it takes effect. On every open, and when the log has grown, it
/// is rewritten as one snapshot: written under a temporary name, forced, renamed, and its directory
/// forced. An old log is never appended to.
///
/// ```
///  0          8         24        28
///  +----------+---------+---------+--------+--------+------- ~ -+--------+---- ~
///  | WROWMAN1 | storeId | crc32c  | length | crc32c | edit      | length | ...
///  +----------+---------+---------+--------+--------+------- ~ -+--------+---- ~
///                                  an edit's checksum covers storeId, its offset and its bytes
/// ```
///
/// Big-endian. A last edit that is cut short or fails its checksum was never acknowledged. A bad
/// edit with a valid edit after it is damage.
///
/// On a full disk the log is rewritten, and edited so that segments go, in the room of the
/// [ReserveFile].
///
/// - Threads: one at a time; the caller holds the store's lock.
public final class Manifest implements AutoCloseable {
  /// Directory of the segment files that it lists.
  public static final String SEGMENTS = "segments";

  public static final String NAME = "manifest";
  public static final String NAME_NEW = "manifest.tmp";
  private static final byte[] MAGIC = "WROWMAN1".getBytes(StandardCharsets.US_ASCII);
  private static final int HEADER_BYTES = 28;
  private static final int EDIT_HEADER_BYTES = 8;
  private static final long REWRITE_BYTES = 1 << 20;

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final ReserveFile ballast;
  private final Map<Long, SegmentEntry> segments = new TreeMap<>();
  private final Map<Integer, Long> sealedLsns = new TreeMap<>();
  private long segmentIdNext = 1;
  private long counterLimit;
  private long clockNanos = Long.MIN_VALUE;
  private int journals;
  private ManifestSections sections = ManifestSections.NONE;
  private @Nullable LayoutSection layouts;
  private @Nullable RetentionSection retention;
  private RollupSection rollups = new RollupSection(List.of());
  private AggregateSection figures = new AggregateSection(List.of());
  private DeletionSection deletions = DeletionSection.NONE;
  private FilteredRetentionSection filtered = FilteredRetentionSection.NONE;
  private @Nullable DiskFile file;
  private long fileBytes;
  private long snapshotBytes;
  private long unreadableFrom = -1;

  private Manifest(Disk disk, Path directory, UUID storeId) {
    this.disk = disk;
    this.directory = directory;
    this.storeId = storeId;
    this.ballast = new ReserveFile(disk, directory);
  }

  /// Reads the manifest and changes nothing.
  ///
  /// @throws StorageException.Corrupt when an acknowledged edit cannot be read
  /// @throws StorageException.Incompatible when it has a section that this program must know
  public static Manifest read(Disk disk, Path directory, UUID storeId) {
    var manifest = new Manifest(disk, directory, storeId);
    Path path = directory.resolve(NAME);
    if (disk.exists(path)) {
      manifest.replay(path, disk.readAll(path));
    } else {
      manifest.requireNothingBehind(path);
    }
    return manifest;
  }

  /// Requires that no segment or journal exists. These are created after the manifest, so their
  /// presence proves that there was one.
  private void requireNothingBehind(Path path) {
    for (String name : List.of(SEGMENTS, Journal.DIRECTORY)) {
      Path below = directory.resolve(name);
      if (disk.exists(below) && !disk.list(below).isEmpty()) {
        throw new StorageException.Corrupt(path, 0, "it is gone, and there are files in " + name);
      }
    }
  }

  private void replay(Path path, byte[] bytes) {
    if (bytes.length < HEADER_BYTES || !ByteBuffer.wrap(bytes, 0, 28).equals(header())) {
      throw new StorageException.Corrupt(path, 0, "not the manifest of store " + storeId);
    }
    int offset = HEADER_BYTES;
    while (offset < bytes.length) {
      if (!isEdit(bytes, offset)) {
        requireNoEditBehind(path, bytes, offset);
        unreadableFrom = offset;
        return;
      }
      int length = ByteBuffer.wrap(bytes).getInt(offset);
      byte[] edit = new byte[length];
      System.arraycopy(bytes, offset + EDIT_HEADER_BYTES, edit, 0, length);
      try {
        apply(ManifestEdit.of(edit));
        layouts = LayoutSection.of(sections);
        retention = RetentionSection.of(sections);
        rollups = RollupSection.of(sections);
        var _ = SavedSection.of(sections, ManifestSections.RULES); // refuses invalid content
        var _ = SavedSection.of(sections, ManifestSections.QUERIES);
        deletions = DeletionSection.of(sections);
        filtered = FilteredRetentionSection.of(sections);
        figures = AggregateSection.of(sections);
      } catch (IOException malformed) {
        throw new StorageException.Corrupt(path, offset, "edit: " + malformed.getMessage());
      }
      if (sections.refusing() >= 0) {
        throw new StorageException.Incompatible(
                path, "needs a section that this version lacks: " + sections.refusing())
            .with(VersionsFile.advice(disk, directory));
      }
      offset += EDIT_HEADER_BYTES + length;
    }
  }

  /// Requires that no valid edit follows the bad one. The snapshot at the start is never torn,
  /// because it was forced before the file got its name.
  private void requireNoEditBehind(Path path, byte[] bytes, int bad) {
    if (bad == HEADER_BYTES) {
      throw new StorageException.Corrupt(path, bad, "the snapshot fails its checksum");
    }
    for (int offset = bad + 1; offset < bytes.length; offset++) {
      if (isEdit(bytes, offset)) {
        throw new StorageException.Corrupt(path, bad, "an edit before the last fails its checksum");
      }
    }
  }

  private boolean isEdit(byte[] bytes, int offset) {
    if (bytes.length - offset < EDIT_HEADER_BYTES) {
      return false;
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    int length = buffer.getInt(offset);
    if (length <= 0 || length > bytes.length - offset - EDIT_HEADER_BYTES) {
      return false;
    }
    return buffer.getInt(offset + 4)
        == checksum(offset, ByteBuffer.wrap(bytes, offset + EDIT_HEADER_BYTES, length));
  }

  private int checksum(long offset, ByteBuffer bytes) {
    var crc = new CRC32C();
    crc.update(
        ByteBuffer.allocate(24)
            .putLong(storeId.getMostSignificantBits())
            .putLong(storeId.getLeastSignificantBits())
            .putLong(offset)
            .flip());
    crc.update(bytes);
    return (int) crc.getValue();
  }

  private ByteBuffer header() {
    ByteBuffer header =
        ByteBuffer.allocate(HEADER_BYTES)
            .put(MAGIC)
            .putLong(storeId.getMostSignificantBits())
            .putLong(storeId.getLeastSignificantBits());
    return header.putInt(checksum(0, ByteBuffer.wrap(MAGIC))).flip();
  }

  private void apply(ManifestEdit edit) {
    segmentIdNext = Math.max(segmentIdNext, edit.segmentIdNext());
    counterLimit = Math.max(counterLimit, edit.counterLimit());
    clockNanos = edit.clockNanos(); // may decrease: an operator can accept an earlier clock
    edit.removed().forEach(segments::remove);
    edit.added().forEach(entry -> segments.put(entry.id(), entry));
    // Rows with only dropped events are sealed with LSN 0.
    edit.sealedLsns().forEach((lane, lsn) -> sealedLsns.merge(lane, lsn, Math::max));
    journals = edit.journals();
    sections = sections.and(edit.sections());
  }

  /// Writes the manifest of a store without one: a snapshot and no further edit. Durable on return.
  public static void write(Disk disk, Path directory, UUID storeId, ManifestEdit snapshot) {
    try (var manifest = new Manifest(disk, directory, storeId)) {
      manifest.apply(snapshot);
      manifest.rewrite();
    }
  }

  /// Starts a new log with a snapshot of the current state. Later edits are appended to it.
  public void rewrite() {
    inAnyRoom(this::writeAnew);
  }

  /// Does a write that lets other files go, and so makes room, on a full disk too.
  private void inAnyRoom(Runnable write) {
    try {
      write.run();
    } catch (StorageException.DiskFull full) {
      if (!ballast.drop()) {
        throw full;
      }
      write.run();
    }
  }

  /// Takes the room that a rewrite on a full disk needs, if it is not taken yet and the disk has
  /// twice as much. Call it now and then: a full disk gets it back.
  public void keepRoom() {
    ballast.keep(fileBytes);
  }

  private void writeAnew() {
    Path temporary = directory.resolve(NAME_NEW);
    disk.delete(temporary);
    DiskFile created = disk.create(temporary);
    long bytes;
    try {
      created.write(MemorySegment.ofArray(header().array()), 0);
      bytes = append(created, HEADER_BYTES, snapshot());
      disk.rename(temporary, directory.resolve(NAME));
      close();
      file = null; // the old log has no name any more; if the force fails, the next edit rewrites
      disk.forceDirectory(directory);
    } catch (Throwable failure) {
      created.close();
      throw withoutTemporary(temporary, failure);
    }
    file = created;
    fileBytes = bytes;
    snapshotBytes = bytes;
  }

  /// Offset of bytes at the end that are no edit: one that was never in effect, or one that was and
  /// is damaged. Negative when there are none.
  public long unreadableFrom() {
    return unreadableFrom;
  }

  /// A sentence about [#unreadableFrom].
  public String unreadable() {
    return "%s: its last edit, at byte %d, cannot be read"
        .formatted(directory.resolve(NAME), unreadableFrom);
  }

  /// Makes an edit again that was lost from the end. It is not written before [#rewrite].
  ///
  /// @param origin has the marks of the arrivals that the edit had at least
  public void restore(
      SegmentOrigin origin,
      List<SegmentEntry> added,
      List<Long> removed,
      Map<Integer, Long> sealed) {
    long clock = Math.max(clockNanos, origin.clockNanos());
    apply(
        new ManifestEdit(
            segmentIdNext, origin.counterLimit(), clock, added, removed, sealed, journals));
  }

  /// The same of an edit without segments.
  public void restore(ManifestSections changed, Map<Integer, Long> sealed) {
    apply(
        new ManifestEdit(
            segmentIdNext,
            counterLimit,
            clockNanos,
            List.of(),
            List.of(),
            sealed,
            journals,
            changed));
  }

  /// The same of an edit by which files of aggregates replaced others.
  public void restore(AggregateSection now) {
    restore(now.toSections(), Map.of());
    figures = now;
  }

  /// The next segment gets this id at least: a file has the one before.
  public void raiseSegmentId(long next) {
    segmentIdNext = Math.max(segmentIdNext, next);
  }

  /// Deletes a log that was not finished: on a full disk it takes room. An unforced temporary file
  /// promises nothing, so a full disk found by its force is no worse than one found by a write.
  private RuntimeException withoutTemporary(Path temporary, Throwable failure) {
    try {
      disk.delete(temporary);
    } catch (StorageException left) {
      failure.addSuppressed(left);
    }
    if (failure instanceof Error error) {
      throw error;
    }
    if (failure.getCause() instanceof StorageException.DiskFull full) {
      return full;
    }
    return (RuntimeException) failure;
  }

  /// The current state as one edit of an empty manifest.
  public ManifestEdit snapshot() {
    return new ManifestEdit(
        segmentIdNext,
        counterLimit,
        clockNanos,
        List.copyOf(segments.values()),
        List.of(),
        sealedLsns,
        journals,
        sections);
  }

  /// Appends an edit and forces it. After a failure the manifest must not be used again.
  ///
  /// @throws StorageException.DiskFull when there is no room; the manifest is unchanged, and the
  ///   next edit overwrites this one
  public void commit(ManifestEdit edit) {
    if (edit.makesRoom()) {
      inAnyRoom(() -> appendAndApply(edit));
    } else {
      appendAndApply(edit);
    }
  }

  private void appendAndApply(ManifestEdit edit) {
    if (file == null || fileBytes > REWRITE_BYTES + 4 * snapshotBytes) {
      rewrite();
    }
    DiskFile open = file;
    if (open == null) {
      throw new IllegalStateException("the manifest was not rewritten");
    }
    fileBytes = append(open, fileBytes, edit);
    apply(edit);
  }

  /// @return offset of the next edit
  private long append(DiskFile target, long offset, ManifestEdit edit) {
    byte[] bytes = edit.toBytes();
    MemorySegment framed = MemorySegment.ofArray(new byte[EDIT_HEADER_BYTES + bytes.length]);
    var bigEndian = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.BIG_ENDIAN);
    framed.set(bigEndian, 0, bytes.length);
    framed.set(bigEndian, 4, checksum(offset, ByteBuffer.wrap(bytes)));
    MemorySegment.copy(bytes, 0, framed, ValueLayout.JAVA_BYTE, EDIT_HEADER_BYTES, bytes.length);
    target.write(framed, offset);
    try {
      target.force();
    } catch (StorageException.DiskFull lost) { // written but not forced: its state is unknown
      throw new StorageException.Failed("cannot force the manifest: " + lost.getMessage(), lost);
    }
    return offset + framed.byteSize();
  }

  /// Takes the next segment id. After a crash, ids of never committed segments may be used again,
  /// when their files are gone.
  public long takeSegmentId() {
    return segmentIdNext++;
  }

  public UUID storeId() {
    return storeId;
  }

  /// Number of lanes with a journal: lanes `[0, journals)`.
  public int journals() {
    return journals;
  }

  /// The layout overrides as of when the manifest was read; null when it has no such section.
  public @Nullable LayoutSection layouts() {
    return layouts;
  }

  /// The rollups that are defined, as it was when the manifest was read.
  public RollupSection rollups() {
    return rollups;
  }

  /// The retention policies as of when the manifest was read; null when it has no such section.
  public @Nullable RetentionSection retention() {
    return retention;
  }

  /// The retention policies with a filter, as they were when the manifest was read.
  public FilteredRetentionSection filteredRetention() {
    return filtered;
  }

  /// The deletions by filter, as they were when the manifest was read.
  public DeletionSection deletions() {
    return deletions;
  }

  /// The files of aggregates whose events are gone, as they were when the manifest was read.
  public AggregateSection figures() {
    return figures;
  }

  /// The state of the store in addition to its segments.
  public ManifestSections sections() {
    return sections;
  }

  public long segmentIdNext() {
    return segmentIdNext;
  }

  public long counterLimit() {
    return counterLimit;
  }

  public long clockNanos() {
    return clockNanos;
  }

  public List<SegmentEntry> segments() {
    return new ArrayList<>(segments.values());
  }

  /// By lane, the last journal frame whose events are all in segments.
  public Map<Integer, Long> sealedLsns() {
    return Map.copyOf(sealedLsns);
  }

  @Override
  public void close() {
    DiskFile open = file;
    if (open != null) {
      open.close();
    }
  }
}
