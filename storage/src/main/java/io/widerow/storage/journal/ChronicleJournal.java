package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Objects;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/// Journal of a lane on Chronicle Queue. A failed write or force ends it for good, since the kernel
/// may have dropped any unforced page.
///
/// - Threads: as [Journal]; `this` guards the list of full files.
public final class ChronicleJournal implements Journal {
  private record Full(Path directory, long lsnLast, long bytes) {}

  private final Disk disk;
  private final Path journal;
  private final int lane;
  private final long fileBytes;
  private final Deque<Full> full = new ArrayDeque<>();
  private final SpareFile spare;
  private volatile boolean fileAsked;
  private ChronicleFile current;
  private long number;
  private long lsnLast;
  private @Nullable Throwable failure;

  /// @param executor creates files ahead of their use
  ChronicleJournal(
      Disk disk,
      Path journal,
      int lane,
      long number,
      long lsnFirst,
      long fileBytes,
      Executor executor) {
    this.disk = disk;
    this.journal = journal;
    this.lane = lane;
    this.fileBytes = fileBytes;
    this.number = number;
    this.lsnLast = lsnFirst - 1;
    this.spare =
        new SpareFile(
            disk, journal.resolve(ChronicleJournalFactory.spareName(lane)), fileBytes, executor);
    this.current = ChronicleFile.create(disk, directory(), fileBytes);
  }

  private Path directory() {
    return journal.resolve(ChronicleJournalFactory.name(lane, number, lsnLast + 1));
  }

  @Override
  public void append(long lsn, MemorySegment frame) {
    requireSound();
    if (lsn != lsnLast + 1) {
      throw new IllegalArgumentException("LSN %d after %d".formatted(lsn, lsnLast));
    }
    if (fileAsked || !current.hasRoomFor(frame)) {
      fileAsked = false;
      roll();
      if (!current.hasRoomFor(frame)) {
        throw new IllegalArgumentException(
            "frame of %d bytes in files of %d".formatted(frame.byteSize(), fileBytes));
      }
    }
    try {
      current.append(frame);
      lsnLast = lsn;
      long wanted = current.wantedOfNext();
      if (wanted > 0) {
        spare.prepare(wanted);
      }
    } catch (Throwable broken) {
      throw end("append", broken);
    }
  }

  /// Forces the full file, since [#force] forces the next one only, and then starts the next. The
  /// next file's name promises that everything before it is durable, so it gets that name only now.
  private void roll() {
    force();
    number++;
    ChronicleFile next;
    try {
      next = spare.take(directory());
      if (next == null) {
        next = ChronicleFile.create(disk, directory(), fileBytes);
      }
    } catch (StorageException.DiskFull noRoom) {
      number--;
      throw noRoom;
    } catch (Throwable broken) {
      throw end("start a file", broken);
    }
    synchronized (this) {
      full.add(new Full(current.directory(), lsnLast, current.bytes()));
      current.close();
      current = next;
    }
  }

  @Override
  public void force() {
    requireSound();
    try {
      current.force();
    } catch (Throwable broken) {
      throw end("force", broken);
    }
  }

  private void requireSound() {
    Throwable earlier = failure;
    if (earlier != null) {
      throw new StorageException.Failed("the journal ended: " + earlier.getMessage(), earlier);
    }
  }

  private StorageException end(String action, Throwable broken) {
    failure = broken;
    return broken instanceof StorageException known
        ? known
        : new StorageException.Failed(
            current.directory() + ": cannot " + action + ": " + broken, broken);
  }

  /// The lane may start a file concurrently.
  @Override
  public void trim(long lsn) {
    Path trimmed = journal.resolve(ChronicleJournalFactory.trimmedName(lane));
    boolean deleted = false;
    for (Full oldest = oldest(lsn); oldest != null; oldest = oldest(lsn)) {
      ChronicleFile.deleteInSteps(disk, oldest.directory, trimmed);
      synchronized (this) {
        full.remove();
      }
      deleted = true;
    }
    if (deleted) {
      disk.forceDirectory(journal);
    }
  }

  /// The oldest full file, if no frame of it is after `lsn`.
  private synchronized @Nullable Full oldest(long lsn) {
    Full oldest = full.peek();
    return oldest != null && oldest.lsnLast <= lsn ? oldest : null;
  }

  @Override
  public void beginFile() {
    fileAsked = true;
  }

  @Override
  public synchronized long keptFrom() {
    Full oldest = full.peek();
    Path first = oldest == null ? current.directory() : oldest.directory;
    return Objects.requireNonNull(ChronicleJournalFactory.Found.of(first)).lsnFirst();
  }

  @Override
  public synchronized Current current() {
    var file = ChronicleJournalFactory.Found.of(current.directory());
    return new Current(Objects.requireNonNull(file).number(), current.bytes());
  }

  @Override
  public synchronized long bytes() {
    return full.stream().mapToLong(Full::bytes).sum() + current.bytes() + spare.bytes();
  }

  @Override
  public synchronized void close() {
    try {
      spare.close();
    } finally {
      current.close();
    }
  }
}
