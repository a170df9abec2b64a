package io.widerow.storage.journal;

import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.Executor;
import java.util.function.Function;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// Factory of journals in Chronicle Queue's file format: one queue directory for each journal file,
/// named `journal/<lane>-<number>-<lsnFirst>/`. [FrameScanner] reads them.
///
/// - Threads: one at a time.
public final class ChronicleJournalFactory implements Journal.Factory {
  private static final Pattern NOT_NEEDED = Pattern.compile("\\d{1,5}-(spare|used|trimmed)");
  private static final Pattern NAME = Pattern.compile("(\\d{1,5})-([0-9a-f]{8})-([0-9a-f]{16})");

  /// A journal file that existed at start.
  record Found(int lane, long number, long lsnFirst, Path path) {
    static final Comparator<Found> ORDER =
        Comparator.comparingInt(Found::lane).thenComparingLong(Found::number);

    static @Nullable Found of(Path path) {
      Matcher matcher = NAME.matcher(String.valueOf(path.getFileName()));
      return matcher.matches()
          ? new Found(
              Integer.parseInt(matcher.group(1)),
              Long.parseLong(matcher.group(2), 16),
              Long.parseUnsignedLong(matcher.group(3), 16),
              path)
          : null;
    }

    static List<Found> in(Disk disk, Path journal) {
      List<Found> found = new ArrayList<>();
      if (disk.exists(journal)) {
        for (Path path : disk.list(journal)) {
          Found file = of(path);
          if (file != null) {
            found.add(file);
          }
        }
      }
      found.sort(ORDER);
      return found;
    }
  }

  private final Disk disk;
  private final Path journal;
  private final UUID store;
  private final long firstBytes;
  private final long fileBytes;
  private final LongSupplier nanos;
  private final Executor executor;
  private final List<Found> replayed = new ArrayList<>();
  private long numberNext;

  /// @param journal the journals' directory, created when absent; its parent exists
  /// @param fileBytes the most that a file takes
  /// @param executor creates files ahead of their use
  public ChronicleJournalFactory(
      Disk disk, Path journal, UUID store, long fileBytes, Executor executor) {
    this(disk, journal, store, FileSizes.FIRST_BYTES, fileBytes, System::nanoTime, executor);
  }

  /// @param firstBytes size of a lane's first file, see [FileSizes]
  /// @param nanos the monotonic clock
  public ChronicleJournalFactory(
      Disk disk,
      Path journal,
      UUID store,
      long firstBytes,
      long fileBytes,
      LongSupplier nanos,
      Executor executor) {
    this.disk = disk;
    this.journal = journal;
    this.store = store;
    this.firstBytes = firstBytes;
    this.fileBytes = fileBytes;
    this.nanos = nanos;
    this.executor = executor;
    skipNumbersInUse();
  }

  /// The journals in the directory of a store.
  ///
  /// @param executor makes files ahead of their use
  public static ChronicleJournalFactory of(
      Path storeDirectory, long fileBytes, Disk disk, UUID store, Executor executor) {
    Path journal = storeDirectory.resolve(Journal.DIRECTORY);
    return new ChronicleJournalFactory(disk, journal, store, fileBytes, executor);
  }

  /// The journals of a store as it is configured.
  ///
  /// @param executor makes files ahead of their use
  public static ChronicleJournalFactory of(
      StoreConfig config, Disk disk, UUID store, Executor executor) {
    return of(config.directory(), config.journalFileBytes(), disk, store, executor);
  }

  /// The journals of a stopped store, by its id.
  public static Function<UUID, Journal.Factory> ofStopped(Path storeDirectory, Disk disk) {
    return id -> of(StoreConfig.at(storeDirectory), disk, id, Runnable::run);
  }

  @Override
  public Journal.Factory at(Path otherDirectory) {
    return new ChronicleJournalFactory(
        disk,
        otherDirectory.resolve(Journal.DIRECTORY),
        store,
        firstBytes,
        fileBytes,
        nanos,
        executor);
  }

  private void skipNumbersInUse() {
    for (Found file : Found.in(disk, journal)) {
      numberNext = Math.max(numberNext, file.number() + 1);
    }
  }

  static String name(int lane, long number, long lsnFirst) {
    return String.format(Locale.ROOT, "%d-%08x-%016x", lane, number, lsnFirst);
  }

  /// Name of a file without frames.
  static String spareName(int lane) {
    return lane + "-spare";
  }

  /// Name of a file that waits to be used again.
  static String usedName(int lane) {
    return lane + "-used";
  }

  /// Name of an obsolete file during its deletion.
  static String trimmedName(int lane) {
    return lane + "-trimmed";
  }

  @Override
  public Journal create(int lane, long lsnFirst) {
    return create(lane, lsnFirst, List.of());
  }

  @Override
  public Journal goOn(int lane, long lsnFirst) {
    List<Found> files = replayed.stream().filter(file -> file.lane() == lane).toList();
    List<ChronicleJournal.Full> earlier = new ArrayList<>();
    for (int i = 0; i < files.size(); i++) {
      long next = i + 1 < files.size() ? files.get(i + 1).lsnFirst() : lsnFirst;
      if (disk.exists(files.get(i).path().resolve(ChronicleFile.DATA_FILE))) {
        ChronicleFile file = ChronicleFile.earlier(disk, files.get(i).path());
        earlier.add(new ChronicleJournal.Full(file, 0, next - 1, false));
      } else {
        ChronicleFile.delete(disk, files.get(i).path()); // a crash came before it was made
      }
    }
    return create(lane, lsnFirst, earlier);
  }

  private Journal create(int lane, long lsnFirst, List<ChronicleJournal.Full> earlier) {
    if (!disk.exists(journal)) {
      disk.createDirectory(journal);
      disk.forceDirectory(Objects.requireNonNull(journal.toAbsolutePath().getParent()));
    }
    skipNumbersInUse();
    deleteUnneeded(journal.resolve(spareName(lane)));
    deleteUnneeded(journal.resolve(usedName(lane)));
    deleteUnneeded(journal.resolve(trimmedName(lane)));
    var sizes = new FileSizes(firstBytes, fileBytes, nanos);
    return new ChronicleJournal(
        disk, journal, lane, numberNext, lsnFirst, earlier, sizes, executor);
  }

  @Override
  public void replay(Journal.FrameReader reader) {
    replayed.clear();
    try (FrameScanner scanner = new FrameScanner(store)) {
      for (Found found : Found.in(disk, journal)) {
        replayed.add(found);
        Path data = found.path().resolve(ChronicleFile.DATA_FILE);
        if (disk.exists(data)) {
          try (DiskFile file = disk.open(data)) {
            reader.file(
                new JournalFile(found.lane(), found.number(), found.lsnFirst(), data, file.size()));
            if (reader.wants(found.lane())) {
              scanner.scan(found.lane(), found.lsnFirst(), file, reader);
            }
          }
        }
      }
    }
  }

  @Override
  public List<JournalFile> files(int lane) {
    List<JournalFile> files = new ArrayList<>();
    for (Found found : Found.in(disk, journal)) {
      Path data = found.path().resolve(ChronicleFile.DATA_FILE);
      if (found.lane() == lane && disk.exists(data)) {
        files.add(new JournalFile(lane, found.number(), found.lsnFirst(), data, 0));
      }
    }
    return files;
  }

  @Override
  public void scan(JournalFile file, long offset, Journal.FrameReader reader) {
    try (DiskFile opened = disk.open(file.path());
        FrameScanner scanner = new FrameScanner(store)) {
      scanner.scan(file.lane(), file.lsnFirst(), opened, offset, reader);
    }
  }

  @Override
  public long copyTo(Path storeDirectory, IntToLongFunction lsnLast) {
    Path copies = storeDirectory.resolve(Journal.DIRECTORY);
    disk.createDirectory(copies);
    long bytes = 0;
    List<Found> files = Found.in(disk, journal);
    for (int i = 0; i < files.size(); i++) {
      Found found = files.get(i);
      Found next = i + 1 < files.size() ? files.get(i + 1) : null;
      long last = lsnLast.applyAsLong(found.lane());
      if (found.lsnFirst() - 1 <= last) {
        boolean goesOn = next != null && next.lane() == found.lane() && next.lsnFirst() - 1 <= last;
        Path copy = copies.resolve(found.path().getFileName());
        disk.createDirectory(copy);
        bytes += copy(found, copy, last, goesOn);
        disk.forceDirectory(copy);
      }
    }
    disk.forceDirectory(copies);
    return bytes;
  }

  /// @param goesOn the lane continues in a next file, so that all of this one belongs to the copy
  private long copy(Found found, Path copy, long last, boolean goesOn) {
    Path from = found.path().resolve(ChronicleFile.DATA_FILE);
    Path to = copy.resolve(ChronicleFile.DATA_FILE);
    if (!disk.exists(from)) {
      return 0; // a crash came before its data file was created
    }
    if (last == Long.MAX_VALUE) {
      try (DiskFile file = disk.openForWriting(from)) {
        file.force(); // its writer may have been killed before its force
      }
    }
    if (goesOn || last == Long.MAX_VALUE) {
      disk.link(from, to);
      return 0;
    }
    try (DiskFile source = disk.open(from);
        DiskFile target = disk.create(to);
        FrameScanner scanner = new FrameScanner(store)) {
      long bytes = scanner.copy(found.lane(), source, target, found.lsnFirst(), last);
      target.force();
      return bytes;
    }
  }

  @Override
  public void deleteReplayed() {
    for (Found found : replayed) {
      ChronicleFile.delete(disk, found.path());
    }
    if (disk.exists(journal)) {
      disk.list(journal).forEach(this::deleteUnneeded); // of lanes that no longer exist
      disk.forceDirectory(journal);
    }
    replayed.clear();
  }

  /// Deletes files that no replay reads, and gives back the blocks at the ends of the others that
  /// hold nothing that a replay finds. Sizes stay as they are.
  @Override
  public void freeUnused() {
    if (!disk.exists(journal)) {
      return;
    }
    disk.list(journal).forEach(this::deleteUnneeded);
    try (FrameScanner scanner = new FrameScanner(store)) {
      for (Found found : Found.in(disk, journal)) {
        Path data = found.path().resolve(ChronicleFile.DATA_FILE);
        if (disk.exists(data)) {
          long used;
          long size;
          try (DiskFile file = disk.open(data)) {
            used = scanner.usedBytes(found.lane(), found.lsnFirst(), file);
            size = file.size();
          }
          try (NativeFile file = new NativeFile(data)) {
            file.release(used, size);
          }
        }
      }
    }
  }

  private void deleteUnneeded(Path path) {
    if (NOT_NEEDED.matcher(String.valueOf(path.getFileName())).matches() && disk.exists(path)) {
      ChronicleFile.delete(disk, path);
    }
  }
}
