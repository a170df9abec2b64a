package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.cold.ColdStub;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.disk.StoreLock;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NotesFile;
import io.widerow.storage.journal.NotesFiles;
import io.widerow.storage.journal.Witness;
import io.widerow.storage.live.AggregateFiles;
import io.widerow.storage.live.LiveFigures;
import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreMoment;
import io.widerow.storage.manifest.AggregateEntry;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.SegmentEntry;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.manifest.VersionsFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.stream.LongStream;

/// Point-in-time copy of a store, made of hard links. It is a complete store.
///
/// | part | in the snapshot |
/// |---|---|
/// | FORMAT, segments or stubs, figures, notes | links: files that are replaced, never changed |
/// | tables | their files as segments, their journal and manifest as those of the events |
/// | full journal files | links, for the same reason |
/// | journal files in use | copied: the frames up to the moment |
/// | the manifest | rewritten with its state at the moment; of a stopped store, a link |
/// | the witness of the journals | rewritten for the copied frames; of a stopped store, a copy |
/// | lock, spare files, quarantine, leftovers of a crash | absent |
///
/// The moment of an open store is taken in three steps: trimming is held off, then the manifest's
/// state is read with a lease on each segment, then the last committed frames of all lanes are read
/// as one consistent cut. The snapshot contains everything acknowledged before it. For each event
/// in it, it also contains everything acknowledged before that event. Lanes do not wait for any of
/// this.
///
/// The snapshot is built under a temporary name, `<name>.<store id>.tmp`, without FORMAT until all
/// else is durable, and renamed last. A directory that a crash leaves under the temporary name is
/// not a store. The next snapshot of this store into the same directory deletes it.
///
/// - Threads: one.
public final class StoreSnapshot {
  private static final String TEMPORARY = ".tmp";

  /// Parts of an unfinished snapshot, in order of creation.
  private static final List<String> PARTS =
      List.of(
          Manifest.SEGMENTS,
          AggregateFiles.DIRECTORY,
          NotesFiles.DIRECTORY,
          StoreExtension.DIRECTORY,
          Journal.DIRECTORY,
          Manifest.NAME,
          Manifest.NAME_NEW,
          Witness.NAME,
          VersionsFile.NAME,
          StoreFormat.NAME);

  private final Disk disk;
  private final Path store;
  private final UUID storeId;
  private final String end; // suffix of this store's temporary names
  private final Path target;
  private final Path made; // under its temporary name
  private int segments;
  private boolean lacksTables; // at its moment

  /// Report on a finished snapshot.
  ///
  /// @param directory the snapshot, a store to open or to copy elsewhere
  /// @param segments number of segment files that it shares with the store
  /// @param journalBytesCopied bytes written for it, besides its manifest
  /// @param millis duration
  public record Report(Path directory, int segments, long journalBytesCopied, long millis) {}

  private StoreSnapshot(Disk disk, Path store, UUID storeId, Path target) {
    this.disk = disk;
    this.store = store;
    this.storeId = storeId;
    this.target = target;
    this.end = "." + markOf(storeId) + TEMPORARY;
    this.made = target.resolveSibling(target.getFileName() + end);
  }

  /// A public mark of the store for temporary names. Failures show these names to clients, who must
  /// not learn the id itself, because the [StoreSecret] is derived from it.
  private static UUID markOf(UUID storeId) {
    return UUID.nameUUIDFromBytes(storeId.toString().getBytes(StandardCharsets.US_ASCII));
  }

  /// Takes a snapshot of a stopped store, whatever its state.
  ///
  /// @param target must not exist; its parent does, on the same file system
  /// @throws StorageException when there is no store, when it is in use, when `target` exists or
  ///   links cannot be made. Nothing unfinished remains then
  public static Report ofStopped(Path directory, Path target) {
    Disk disk = new RealDisk();
    return ofStopped(disk, directory, target, ChronicleJournalFactory.ofStopped(directory, disk));
  }

  static Report ofStopped(
      Disk disk, Path directory, Path target, Function<UUID, Journal.Factory> journals) {
    StoreFormat.requireStore(disk, directory);
    return StoreLock.holding(
        disk,
        directory,
        () -> {
          UUID storeId = StoreFormat.read(disk, directory).storeId();
          return new StoreSnapshot(disk, directory, storeId, target)
              .make(journals.apply(storeId), StoreSnapshot::linkAll);
        });
  }

  /// Makes one of an open store.
  static Report ofOpen(
      OpenedFiles files, List<EmbeddedLane> lanes, StoreExtension extension, Path target) {
    LockedDirectory store = files.directory();
    return new StoreSnapshot(store.disk(), store.path(), store.storeId(), target)
        .make(files.journals(), (made, _) -> made.linkMoment(files, lanes, extension));
  }

  /// One step of the copy; returns the bytes it wrote.
  private interface Step {
    long put(StoreSnapshot snapshot, Journal.Factory journals);
  }

  private Report make(Journal.Factory journals, Step parts) {
    long start = System.nanoTime();
    Path parent = Objects.requireNonNull(target.toAbsolutePath().getParent(), "a root");
    if (disk.exists(target)) {
      throw new StorageException.Incompatible(target, "it exists, and nothing is ever replaced");
    }
    deleteHalfMade(parent);
    try {
      disk.createDirectory(made);
      long copied = parts.put(this, journals);
      linkIfThere(store.resolve(VersionsFile.NAME), made.resolve(VersionsFile.NAME));
      disk.forceDirectory(made);
      disk.link(store.resolve(StoreFormat.NAME), made.resolve(StoreFormat.NAME));
      if (lacksTables) { // the store may have got them since
        StoreExtension.Provider.of(disk, made).snapshotNothing(files(journals), made);
      }
      disk.forceDirectory(made);
      disk.rename(made, target);
      disk.forceDirectory(parent);
      return new Report(target, segments, copied, (System.nanoTime() - start) / 1_000_000);
    } catch (StorageException failure) {
      discard(failure);
      throw failure;
    }
  }

  private void discard(StorageException failure) {
    try {
      deleteParts(made);
    } catch (StorageException left) {
      failure.addSuppressed(left);
    }
  }

  /// Deletes unfinished snapshots that crashes left. No other snapshot of this store is in
  /// progress.
  private void deleteHalfMade(Path parent) {
    disk.list(parent).stream()
        .filter(path -> path.getFileName().toString().endsWith(end))
        .forEach(this::deleteParts);
  }

  /// Deletes an unfinished snapshot, FORMAT first. Stops at any file that is not part of one.
  private void deleteParts(Path half) {
    if (disk.exists(half)) {
      PARTS.reversed().forEach(part -> deleteAll(half.resolve(part)));
      disk.delete(half);
    }
  }

  private void deleteAll(Path path) {
    if (disk.isDirectory(path)) {
      disk.list(path).forEach(this::deleteAll);
    }
    disk.delete(path);
  }

  private long linkAll(Journal.Factory journals) {
    linkDirectory(Manifest.SEGMENTS, SegmentEntry.SUFFIX);
    linkDirectory(Manifest.SEGMENTS, ColdStub.SUFFIX);
    linkDirectory(AggregateFiles.DIRECTORY, AggregateEntry.SUFFIX);
    linkDirectory(NotesFiles.DIRECTORY, NotesFile.SUFFIX);
    long copied = journals.copyTo(made, _ -> Long.MAX_VALUE);
    if (disk.exists(store.resolve(Manifest.NAME))) {
      disk.link(store.resolve(Manifest.NAME), made.resolve(Manifest.NAME));
    }
    copied += counted(StoreExtension.Provider.of(disk, store).snapshot(files(journals), made));
    return copied + Witness.copy(disk, store, made);
  }

  private StoreExtension.StoreFiles files(Journal.Factory journals) {
    return new StoreExtension.StoreFiles(disk, store, storeId, journals);
  }

  private long counted(StoreExtension.Copy copy) {
    segments += copy.files();
    return copy.bytes();
  }

  private long linkMoment(OpenedFiles files, List<EmbeddedLane> lanes, StoreExtension extension) {
    if (lanes.isEmpty()) {
      throw new StorageException.ReadOnly("the store was opened for reading");
    }
    StoreExtension.Moment rows = extension.snapshot();
    lacksTables = rows.isEmpty();
    StoreMoment moment = files.contents().moment();
    try {
      long[] all = committed(lanes, rows);
      long[] committed = Arrays.copyOf(all, lanes.size());
      IntToLongFunction last = lane -> lane < committed.length ? committed[lane] : 0;
      Path names = made.resolve(Manifest.SEGMENTS);
      disk.createDirectory(names);
      for (LiveSegment segment : moment.segments().all()) {
        Path file =
            segment.isCold()
                ? files.segments().stub(segment.entry().id())
                : files.segments().named(segment.entry().id());
        linkIfThere(file, names.resolve(file.getFileName()));
      }
      disk.forceDirectory(names);
      link(moment.segments().figures());
      files.notes().link(() -> linkDirectory(NotesFiles.DIRECTORY, NotesFile.SUFFIX));
      long copied = files.journals().copyTo(made, last);
      copied += counted(rows.copyTo(made, all[lanes.size()]));
      Manifest.write(disk, made, storeId, moment.manifest());
      Witness.create(
          disk,
          made,
          storeId,
          Arrays.stream(committed).mapToObj(lsn -> new Witness.Lane(lsn, 0, 0)).toList());
      return copied;
    } finally {
      moment.segments().release(Runnable::run);
      rows.release();
    }
  }

  /// Links files of aggregates, if there are any.
  private void link(List<LiveFigures> figures) {
    if (!figures.isEmpty()) {
      Path names = made.resolve(AggregateFiles.DIRECTORY);
      disk.createDirectory(names);
      for (LiveFigures each : figures) {
        String name = each.entry().fileName();
        linkIfThere(store.resolve(AggregateFiles.DIRECTORY).resolve(name), names.resolve(name));
      }
      disk.forceDirectory(names);
    }
  }

  /// The last committed frame of each lane and then of the tables, all as they were at one moment:
  /// lanes only go forward, so when two looks in a row see the same, that was so between them.
  private static long[] committed(List<EmbeddedLane> lanes, StoreExtension.Moment rows) {
    long[] seen = committedLsns(lanes, rows);
    while (true) {
      long[] again = committedLsns(lanes, rows);
      if (Arrays.equals(seen, again)) {
        return seen;
      }
      seen = again;
    }
  }

  private static long[] committedLsns(List<EmbeddedLane> lanes, StoreExtension.Moment rows) {
    LongStream events = lanes.stream().mapToLong(EmbeddedLane::committedLsn);
    return LongStream.concat(events, LongStream.of(rows.committed())).toArray();
  }

  private void linkDirectory(String name, String suffix) {
    Path from = store.resolve(name);
    if (!disk.exists(from)) {
      return;
    }
    Path to = made.resolve(name);
    disk.createDirectory(to);
    for (Path file : disk.list(from)) {
      if (file.getFileName().toString().endsWith(suffix)) {
        linkIfThere(file, to.resolve(file.getFileName()));
      }
    }
    disk.forceDirectory(to);
  }

  /// Links a file if it exists. A file missing from the store is missing from the snapshot too, and
  /// is reported like any damage.
  private void linkIfThere(Path file, Path link) {
    if (disk.exists(file)) {
      disk.link(file, link);
      segments += link.startsWith(made.resolve(Manifest.SEGMENTS)) ? 1 : 0;
    }
  }
}
