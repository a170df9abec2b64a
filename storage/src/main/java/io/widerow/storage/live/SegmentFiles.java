package io.widerow.storage.live;

import io.widerow.event.Bucket;
import io.widerow.rollup.RollupDefinition;
import io.widerow.storage.StorageException;
import io.widerow.storage.cold.ColdFile;
import io.widerow.storage.cold.ColdPieces;
import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.Throttle;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.VersionsFile;
import io.widerow.storage.segment.Segment;
import io.widerow.storage.segment.SegmentProfile;
import io.widerow.storage.segment.SegmentWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// The directory of a store's segment files: it names, writes, adopts, opens and deletes them. Of a
/// cold segment it has the stub in place of the file.
///
/// - Threads: any.
public final class SegmentFiles {
  static final String TEMPORARY = ".tmp";
  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private final AtomicLong bytesWritten = new AtomicLong();
  private volatile BooleanSupplier guard = () -> true;
  private final AggregateFiles figures;
  private final ColdPieces pieces = new ColdPieces(System::nanoTime);
  private volatile List<RollupDefinition> rollups = List.of();

  public SegmentFiles(Disk disk, Path storeDirectory, UUID storeId) {
    this.disk = disk;
    this.directory = storeDirectory.resolve(Manifest.SEGMENTS);
    this.storeId = storeId;
    this.figures = new AggregateFiles(disk, storeDirectory, storeId, () -> guard.getAsBoolean());
  }

  /// The files of aggregates whose events are gone.
  public AggregateFiles figures() {
    return figures;
  }

  /// From now on files get their names, and are deleted, only while this holds: afterwards they may
  /// be those of another process.
  void guard(BooleanSupplier newGuard) {
    guard = newGuard;
  }

  /// Segments that are begun from now on have cells of these rollups.
  public void define(List<RollupDefinition> defined) {
    rollups = List.copyOf(defined);
  }

  /// The rollups that are defined, in the order of names.
  public List<RollupDefinition> rollups() {
    return rollups;
  }

  public void createDirectory() {
    disk.createDirectory(directory);
  }

  public Path temporary(long id) {
    return directory.resolve(SegmentEntry.fileName(id) + TEMPORARY);
  }

  /// @param merged true for the final form of a bucket
  public SegmentWriter writer(Path file, long id, boolean merged) {
    return writer(file, id, merged, Throttle.NONE);
  }

  /// @param throttle throttle that lets other threads run between blocks
  public SegmentWriter writer(Path file, long id, boolean merged, Throttle throttle) {
    disk.delete(file);
    SegmentProfile form = merged ? SegmentProfile.FINAL : SegmentProfile.SEALED;
    return new SegmentWriter(disk, file, storeId, id, form, throttle, rollups);
  }

  /// Reads back the whole of a finished and forced file, then gives it its name. The name is
  /// durable only after [#forceDirectory].
  public LiveSegment adopt(SegmentEntry entry) {
    Path temporary = temporary(entry.id());
    try (Segment written = open(entry, temporary)) {
      written.verify();
    }
    Path named = directory.resolve(entry.fileName());
    if (!guard.getAsBoolean()) {
      throw lockLost(named);
    }
    disk.rename(temporary, named);
    bytesWritten.addAndGet(entry.bytes());
    return new LiveSegment(entry, Segment.open(disk, named, storeId, entry.id()));
  }

  static StorageException lockLost(Path named) {
    String lost = named + ": not written: this process has lost the store's lock";
    return new StorageException.Failed(lost, new IOException(lost));
  }

  public void forceDirectory() {
    disk.forceDirectory(directory);
  }

  /// Opens a segment of the manifest. One that is missing, damaged or of another store is
  /// quarantined; its file stays as it is.
  ///
  /// @throws StorageException.Incompatible when a newer program wrote it
  public LiveSegment open(SegmentEntry entry) {
    Path file = isCold(entry.id()) ? stub(entry.id()) : directory.resolve(entry.fileName());
    try {
      return new LiveSegment(entry, open(entry, file));
    } catch (StorageException.Corrupt damaged) {
      return new LiveSegment(entry, damaged);
    } catch (StorageException.Failed failed) {
      return new LiveSegment(entry, unreadable(file, failed));
    }
  }

  /// Opens a file of a store; one of a newer program is refused with the versions of both.
  static Segment open(Disk disk, Path file, UUID storeId, long id) {
    return open(disk, file, () -> Segment.open(disk, file, storeId, id));
  }

  private static Segment open(Disk disk, Path file, Supplier<Segment> opening) {
    try {
      return opening.get();
    } catch (StorageException.Incompatible newer) {
      throw newer.with(VersionsFile.advice(disk, file.resolve("../..").normalize()));
    }
  }

  static StorageException.Corrupt unreadable(Path file, StorageException failed) {
    return new StorageException.Corrupt(file, 0, "it cannot be read: " + failed.getMessage());
  }

  private Segment openCold(Path stub, SegmentEntry entry) {
    var bucket = new Bucket(entry.bucketMinutes(), entry.widthMinutes());
    String span = "%s to %s".formatted(text(bucket.fromNanos()), text(bucket.untilNanos()));
    return Segment.open(ColdFile.open(disk, stub, pieces, span), storeId, entry.id());
  }

  private static Instant text(long nanos) {
    return Instant.ofEpochSecond(Math.floorDiv(nanos, NANOS_PER_SECOND));
  }

  /// Opens the file of a segment, or its stub.
  ///
  /// @throws StorageException.Corrupt when it is missing, or differs from the manifest's entry
  public Segment open(SegmentEntry entry, Path file) {
    if (!disk.exists(file)) {
      throw new StorageException.Corrupt(file, 0, "the manifest lists this file, and it is gone");
    }
    Segment segment =
        file.toString().endsWith(ColdStub.SUFFIX)
            ? open(disk, file, () -> openCold(file, entry))
            : open(disk, file, storeId, entry.id());
    try {
      segment.requireHolds(entry.bytes(), entry.partitions());
      return segment;
    } catch (Throwable failure) {
      segment.close();
      throw failure;
    }
  }

  /// Opens the file of a segment that the manifest does not list.
  ///
  /// @throws StorageException.Corrupt when it is not a whole segment of this store
  public Segment openUnlisted(long id) {
    return Segment.open(disk, named(id), storeId, id);
  }

  public Path named(long id) {
    return directory.resolve(SegmentEntry.fileName(id));
  }

  /// The stub of a segment whose blocks are kept elsewhere.
  public Path stub(long id) {
    String name = SegmentEntry.fileName(id);
    return directory.resolve(name.substring(0, name.lastIndexOf('.')) + ColdStub.SUFFIX);
  }

  /// True when only the stub of a segment is here. With both the file counts.
  public boolean isCold(long id) {
    return !disk.exists(named(id)) && disk.exists(stub(id));
  }

  /// The pieces of cold segments, and the place that has the rest.
  public ColdPieces pieces() {
    return pieces;
  }

  /// Writes the stub of a segment whose object was verified, durably, and opens the segment by it.
  ///
  /// @param place URL that has the object
  public LiveSegment cool(LiveSegment live, String place, String sha256) {
    Segment segment = Objects.requireNonNull(live.file(), "quarantined");
    SegmentEntry entry = live.entry();
    Path path = stub(entry.id());
    Path temporary = path.resolveSibling(path.getFileName() + TEMPORARY);
    var stub = new ColdStub(path, place, segment.tailOffset(), entry.bytes(), sha256);
    stub.write(disk, segment.file(), temporary);
    ColdStub.verify(disk, temporary);
    adopt(temporary, path);
    return new LiveSegment(entry, open(entry, path));
  }

  /// Takes the file of a cold segment that was fetched under its temporary name: reads it back, and
  /// gives it its name, durably.
  public LiveSegment recall(SegmentEntry entry) {
    Path temporary = temporary(entry.id());
    try (Segment fetched = open(entry, temporary)) {
      fetched.verify();
    }
    adopt(temporary, named(entry.id()));
    return new LiveSegment(entry, open(entry, named(entry.id())));
  }

  private void adopt(Path temporary, Path named) {
    if (!guard.getAsBoolean()) {
      throw lockLost(named);
    }
    disk.rename(temporary, named);
    forceDirectory();
  }

  /// Deletes the file of a segment, or its stub: other readers may still use the other one.
  void delete(LiveSegment live) {
    if (live.isCold()) {
      deleteStub(live.entry());
    } else {
      deleteFile(live.entry());
    }
  }

  /// Deletes the file of a segment that has become cold, or is gone.
  public void deleteFile(SegmentEntry entry) {
    if (guard.getAsBoolean()) {
      disk.deleteInSteps(named(entry.id()));
    }
  }

  /// Deletes the stub of a segment whose file is here again, or that is gone.
  public void deleteStub(SegmentEntry entry) {
    if (guard.getAsBoolean()) {
      disk.delete(stub(entry.id()));
    }
  }

  /// Deletes the unfinished segment file that a failure left. If the deletion fails, the next open
  /// of the store deletes the file.
  public void discard(long id, Throwable failure) {
    if (!guard.getAsBoolean()) {
      return;
    }
    try {
      disk.delete(temporary(id));
      disk.delete(directory.resolve(SegmentEntry.fileName(id)));
    } catch (StorageException left) {
      failure.addSuppressed(left);
    }
  }

  /// Deletes a file that never entered the manifest.
  void abandon(LiveSegment segment, Throwable failure) {
    segment.close();
    discard(segment.entry().id(), failure);
  }

  /// The id in the name of a segment's file or stub; negative for another name.
  public static long idOf(Path file) {
    String name = file.getFileName().toString();
    return name.endsWith(ColdStub.SUFFIX)
        ? SegmentEntry.idOf(name.replace(ColdStub.SUFFIX, SegmentEntry.SUFFIX))
        : SegmentEntry.idOf(name);
  }

  /// Deletes segments that a crash left unfinished. No manifest ever listed them.
  public void deleteUnfinished() {
    for (Path each : List.of(directory, figures.directory())) {
      if (disk.exists(each)) {
        disk.list(each).stream()
            .filter(path -> path.toString().endsWith(TEMPORARY))
            .forEach(disk::delete);
      }
    }
  }

  /// Deletes files that the manifest does not list, left by a crash.
  public void deleteOrphans(List<SegmentEntry> live) {
    orphans(live).forEach(disk::delete);
  }

  public List<Path> orphans(List<SegmentEntry> live) {
    return unlisted(
        disk,
        directory,
        live.stream()
            .flatMap(each -> Stream.of(each.fileName(), stub(each.id()).getFileName().toString())));
  }

  /// Files in a directory, which may not exist, that have other names.
  static List<Path> unlisted(Disk disk, Path directory, Stream<String> listed) {
    if (!disk.exists(directory)) {
      return List.of();
    }
    Set<String> names = listed.collect(Collectors.toSet());
    return disk.list(directory).stream()
        .filter(path -> !names.contains(path.getFileName().toString()))
        .toList();
  }

  /// Bytes of all segment files written since the store was opened.
  public long bytesWritten() {
    return bytesWritten.get();
  }
}
