package io.widerow.storage.objects;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.embedded.BackupCut;
import io.widerow.storage.embedded.BackupFeed;
import io.widerow.storage.journal.ChronicleJournalFactory;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.repair.RestoredStore;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.function.BiFunction;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/// Makes a directory of what was shipped: a store as of a cut, which a normal start opens.
///
/// ```
///   files of the checkpoint -> journals with the frames up to the cut -> FORMAT -> the name
/// ```
///
/// It is made under a temporary name, `<name>.restore.tmp`. A restore that was cut off goes on with
/// the files that are missing.
///
/// - Threads: one, and an executor for fetching files.
public final class Restore {
  private static final String TEMPORARY = ".restore.tmp";
  private static final String FORMAT = "restore";
  private static final String PART = ".part";
  private static final double ROOM = 1.05;

  private final ObjectStore objects;
  private final Disk disk;
  private final Path target;
  private final Path work;
  private final BiFunction<Disk, Path, Function<UUID, Journal.Factory>> journals;
  private final Executor executor;
  private final int connections;

  /// A restored store.
  ///
  /// @param cut its moment: everything acknowledged before it is there
  /// @param checkpoint the one that it was made from
  /// @param files number of its files, without journals
  /// @param bytes of them
  public record Result(Path directory, String cut, String checkpoint, int files, long bytes) {}

  /// @param target must not exist; its parent does
  public Restore(ObjectStore objects, Path target) {
    this(objects, target, Runnable::run, 1);
  }

  /// @param target must not exist; its parent does
  /// @param executor runs so many tasks at once
  /// @param connections over which files are fetched
  public Restore(ObjectStore objects, Path target, Executor executor, int connections) {
    this(
        objects,
        new RealDisk(),
        target,
        (disk, path) -> ChronicleJournalFactory.ofStopped(path, disk),
        executor,
        connections);
  }

  /// @param journals makes the journals of a directory
  Restore(
      ObjectStore objects,
      Disk disk,
      Path target,
      BiFunction<Disk, Path, Function<UUID, Journal.Factory>> journals,
      Executor executor,
      int connections) {
    this.executor = executor;
    this.connections = connections;
    this.objects = objects;
    this.disk = disk;
    this.target = target;
    this.work = target.resolveSibling(target.getFileName() + TEMPORARY);
    this.journals = journals;
  }

  /// Restores.
  ///
  /// @param atNanos the last cut at or before this time; [Long#MAX_VALUE] for the newest one
  /// @throws StorageException when the target exists, or the disk has no room or fails
  /// @throws ObjectsException when the backup does not reach the time, or is damaged
  public Result run(long atNanos) {
    if (disk.exists(target)) {
      throw new StorageException.Incompatible(target, "it exists, and nothing is ever replaced");
    }
    var catalog = new BackupCatalog(objects);
    BackupCatalog.Plan plan = catalog.plan(atNanos);
    Checkpoint checkpoint = plan.checkpoint();
    disk.createDirectory(work);
    requireRoom(checkpoint);
    fetchAll(checkpoint.files());
    BackupCut cut = writeJournals(catalog, plan);
    disk.rename(work.resolve(FORMAT).resolve(StoreFormat.NAME), work.resolve(StoreFormat.NAME));
    disk.delete(work.resolve(FORMAT));
    disk.forceDirectory(work);
    disk.rename(work, target);
    disk.forceDirectory(Objects.requireNonNull(target.toAbsolutePath().getParent()));
    return new Result(
        target,
        Checkpoint.Times.text(cut.nanos()),
        checkpoint.name(),
        checkpoint.files().size(),
        checkpoint.bytes());
  }

  private void requireRoom(Checkpoint checkpoint) {
    long there =
        checkpoint.files().stream()
            .filter(file -> disk.exists(work.resolve(file.path())))
            .mapToLong(Checkpoint.Entry::bytes)
            .sum();
    long needed = (long) ((checkpoint.bytes() - there) * ROOM);
    long usable = disk.usableBytes(work);
    if (usable < needed) {
      throw new StorageException.DiskFull(work, usable, needed);
    }
  }

  /// Fetches files over several connections, the largest ones first.
  private void fetchAll(List<Checkpoint.Entry> files) {
    for (Checkpoint.Entry file : files) {
      createDirectories(Objects.requireNonNull(pathOf(file).getParent()));
    }
    var left = new ConcurrentLinkedQueue<Checkpoint.Entry>();
    files.stream()
        .sorted(Comparator.comparingLong(Checkpoint.Entry::bytes).reversed())
        .forEach(left::add);
    Runnable some =
        () -> {
          try {
            for (Checkpoint.Entry file = left.poll(); file != null; file = left.poll()) {
              fetch(file, pathOf(file));
            }
          } catch (Throwable failure) {
            left.clear(); // the others end after the file that they have begun
            throw failure;
          }
        };
    List<CompletableFuture<Void>> all = new ArrayList<>();
    for (int i = 0; i < connections; i++) {
      all.add(CompletableFuture.runAsync(some, executor));
    }
    Throwable failed = null;
    for (CompletableFuture<Void> each : all) {
      Throwable failure = each.handle((_, thrown) -> thrown).join();
      failed = failed == null ? failure : failed;
    }
    Throwable cause = failed instanceof CompletionException ? failed.getCause() : failed;
    if (cause instanceof RuntimeException known) {
      throw known;
    }
    if (cause instanceof Error error) {
      throw error;
    }
  }

  private Path pathOf(Checkpoint.Entry file) {
    boolean isFormat = file.path().equals(StoreFormat.NAME);
    return work.resolve(isFormat ? FORMAT + "/" + file.path() : file.path());
  }

  private void fetch(Checkpoint.Entry file, Path path) {
    Path parent = Objects.requireNonNull(path.getParent());
    if (disk.exists(path)) {
      FileContent there = FileContent.of(disk, path);
      if (there.bytes() == file.bytes() && ContentDigest.of(there).equals(file.sha256())) {
        return; // of a restore that was cut off
      }
      disk.delete(path);
    }
    Path part = path.resolveSibling(path.getFileName() + PART);
    FetchedFile.make(objects, file.object(), file.bytes(), file.sha256(), disk, part);
    disk.rename(part, path);
    disk.forceDirectory(parent);
  }

  private void createDirectories(Path directory) {
    if (!directory.equals(work) && !disk.exists(directory)) {
      Path parent = Objects.requireNonNull(directory.getParent());
      createDirectories(parent);
      disk.createDirectory(directory);
      disk.forceDirectory(parent);
    }
  }

  /// Writes the frames up to the last cut that counts, and returns that.
  private BackupCut writeJournals(BackupCatalog catalog, BackupCatalog.Plan plan) {
    BackupCut reached = null;
    List<FrameObject> held = new ArrayList<>(); // with frames after the cut that was reached
    var chain = new FrameChain(catalog, plan, executor, connections);
    try (RestoredStore store =
        new RestoredStore(disk, work, work.resolve(FORMAT), journals.apply(disk, work))) {
      for (FrameObject object = chain.next(); object != null; object = chain.next()) {
        held.add(object);
        BackupCut best = last(plan, object);
        if (best != null) {
          reached = best;
          held.forEach(each -> add(store, each, best));
          held.clear();
          held.add(object);
        }
        if (isAfter(plan, object)) {
          break;
        }
      }
      if (reached == null) {
        throw new ObjectsException.NotThere(plan.checkpoint().name() + ": no cut follows it");
      }
      store.finish(reached.lsns());
    }
    return reached;
  }

  private static void add(RestoredStore store, FrameObject object, BackupCut cut) {
    object.frames((journal, frame) -> store.add(journal, frame, cut.lsns().get(journal)));
  }

  private static @Nullable BackupCut last(BackupCatalog.Plan plan, FrameObject object) {
    return object.cuts().stream()
        .filter(cut -> BackupCatalog.reaches(plan, cut))
        .reduce((_, later) -> later)
        .orElse(null);
  }

  private static boolean isAfter(BackupCatalog.Plan plan, FrameObject object) {
    return !object.cuts().isEmpty() && object.cuts().getFirst().nanos() >= plan.untilNanos();
  }

  /// Deletes what a restore that was cut off left.
  void discard() {
    BackupFeed.deleteAll(disk, work);
  }
}
