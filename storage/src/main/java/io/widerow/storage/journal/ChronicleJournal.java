package io.widerow.storage.journal;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/// Journal of a lane in Chronicle Queue's file format. A failed write or force ends it for good,
/// since the kernel may have dropped any unforced page.
///
/// - Threads: as [Journal]; `this` guards the list of full files.
public final class ChronicleJournal implements Journal {
  /// @param lsnFrom the least LSN of a frame in it, also of an earlier use
  /// @param isCleared whether it holds only frames of its last use, so that it may be used again
  record Full(ChronicleFile file, long lsnFrom, long lsnLast, boolean isCleared) {}

  private final Disk disk;
  private final Path journal;
  private final int lane;
  private final FileSizes sizes;
  private final Deque<Full> full = new ArrayDeque<>();
  private final SpareFile spare;
  private final UsedFile used;
  private final AtomicLong goneTo = new AtomicLong(); // LSN, see discard
  private final AtomicLong trimmedTo = new AtomicLong(); // LSN
  private ChronicleFile current;
  private long lsnFirst; // of the current file
  private long number;
  private long lsnLast;
  private volatile boolean isResting; // no file needs to wait for its use; written by the lane
  private @Nullable Throwable failure;

  /// @param earlier files of earlier starts, with the frames before `lsnFirst`
  /// @param executor creates files ahead of their use
  ChronicleJournal(
      Disk disk,
      Path journal,
      int lane,
      long number,
      long lsnFirst,
      List<Full> earlier,
      FileSizes sizes,
      Executor executor) {
    this.disk = disk;
    this.journal = journal;
    this.lane = lane;
    this.sizes = sizes;
    this.number = number;
    this.lsnFirst = lsnFirst;
    this.lsnLast = lsnFirst - 1;
    this.spare =
        new SpareFile(disk, journal.resolve(ChronicleJournalFactory.spareName(lane)), executor);
    this.used = new UsedFile(disk, journal.resolve(ChronicleJournalFactory.usedName(lane)));
    this.full.addAll(earlier);
    this.current = ChronicleFile.create(disk, directory(), sizes.next());
  }

  private Path directory() {
    return journal.resolve(ChronicleJournalFactory.name(lane, number, lsnLast + 1));
  }

  @Override
  public void append(long lsn, MemorySegment frame) {
    requireSound();
    if (isResting) {
      isResting = false;
    }
    if (lsn != lsnLast + 1) {
      throw new IllegalArgumentException("LSN %d after %d".formatted(lsn, lsnLast));
    }
    if (!current.hasRoomFor(frame)) {
      roll(sizes.nextFor(frame.byteSize()), true);
      if (!current.hasRoomFor(frame)) {
        throw new IllegalArgumentException(
            "frame of %d bytes in files of %d".formatted(frame.byteSize(), sizes.most()));
      }
    } else if (lsnFrom() <= goneTo.get()) {
      rollIfThereIsRoom(true);
    }
    try {
      current.append(frame);
      lsnLast = lsn;
      if (current.isHalfFull()) {
        sizes.halfFull();
        prepareNext();
      }
    } catch (Throwable broken) {
      throw end("append", broken);
    }
  }

  private void prepareNext() {
    long bytes = sizes.next();
    if (!used.isWaiting(bytes)) {
      spare.prepare(bytes, current.wantedOfNext(bytes));
    }
  }

  /// Begins the smallest file, unless the present one is that and less than half full. It must be
  /// ready: no group waits for its creation. A file that did not last long enough stays: the lane
  /// would soon need one of its size.
  @Override
  public boolean rest() {
    if (failure != null) {
      return true;
    }
    if (!isSmall()) {
      if (!sizes.areEnough()) {
        return false;
      }
      becomeSmall();
    }
    isResting = isSmall();
    return isResting;
  }

  private void becomeSmall() {
    long bytes = sizes.first();
    sizes.restart();
    if (used.isWaiting(bytes) || spare.isComplete(bytes)) {
      rollIfThereIsRoom(false);
    } else {
      spare.prepare(bytes, bytes);
    }
  }

  private boolean isSmall() {
    return current.bytes() == sizes.first() && !current.isHalfFull() && spare.isNone();
  }

  /// Forces the full file, since [#force] forces the next one only, and then starts the next. The
  /// next file's name promises that everything before it is durable, so it gets that name only now.
  ///
  /// @param bytes of the next file
  /// @param mayBeUsed whether the full file may be used again; else it is deleted
  private void roll(long bytes, boolean mayBeUsed) {
    boolean clears = mayBeUsed && lsnFrom() > goneTo.get();
    if (clears) {
      clearRemains();
    }
    force();
    number++;
    try {
      if (spare.isComplete(bytes) || !goOnInUsedFile(bytes, clears)) {
        ChronicleFile made = spare.take(directory(), bytes);
        goOn(made == null ? ChronicleFile.create(disk, directory(), bytes) : made, clears);
      }
      sizes.begin();
    } catch (StorageException.DiskFull noRoom) {
      number--;
      throw noRoom;
    } catch (Throwable broken) {
      throw end("start a file", broken);
    }
  }

  /// The present file takes frames until there is room for another one.
  private void rollIfThereIsRoom(boolean mayBeUsed) {
    try {
      roll(sizes.next(), mayBeUsed);
    } catch (StorageException.DiskFull _) {
      return; // the next call tries again
    }
  }

  /// Under the lock, so that [#keptFrom] never misses the file.
  private synchronized boolean goOnInUsedFile(long bytes, boolean isCleared) {
    ChronicleFile next = used.take(directory(), bytes, goneTo.get());
    if (next != null) {
      goOn(next, isCleared);
    }
    return next != null;
  }

  private synchronized void goOn(ChronicleFile next, boolean isCleared) {
    full.add(new Full(current, lsnFrom(), lsnLast, isCleared));
    current.close();
    current = next;
    lsnFirst = lsnLast + 1;
  }

  private long lsnFrom() {
    return Math.min(lsnFirst, current.remainsFrom());
  }

  private void clearRemains() {
    try {
      current.clearRemains();
    } catch (Throwable broken) {
      throw end("clear the end of a file", broken);
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
    return switch (broken) {
      // DiskFull itself would mean that nothing was written.
      case StorageException.DiskFull full ->
          failed(action, "no space left: " + full.getMessage(), full);
      case StorageException known -> known;
      default -> failed(action, broken.toString(), broken);
    };
  }

  private StorageException failed(String action, String reason, Throwable cause) {
    return new StorageException.Failed(
        "%s: cannot %s: %s".formatted(current.directory(), action, reason), cause);
  }

  /// The lane may start a file concurrently.
  @Override
  public void trim(long lsn) {
    Path trimmed = journal.resolve(ChronicleJournalFactory.trimmedName(lane));
    long last = trimmedTo.accumulateAndGet(lsn, Math::max);
    used.dropTo(goneTo.get());
    used.dropUnlessOf(isResting ? 0 : sizes.next());
    boolean renamed = false;
    for (Full oldest = oldest(last); oldest != null; oldest = oldest(last)) {
      if (!keepForUse(oldest)) {
        ChronicleFile.deleteInSteps(disk, oldest.file.directory(), trimmed);
      }
      synchronized (this) {
        full.remove();
      }
      renamed = true;
    }
    if (renamed) {
      disk.forceDirectory(journal);
    }
  }

  private boolean keepForUse(Full oldest) {
    if (isResting
        || !oldest.isCleared
        || oldest.file.bytes() != sizes.next()
        || oldest.lsnFrom <= goneTo.get()
        || !used.offer(oldest.file, oldest.lsnFrom)) {
      return false;
    }
    used.dropTo(goneTo.get()); // a request may have come in between
    return true;
  }

  /// The oldest full file, if no frame of it is after `lsn`.
  private synchronized @Nullable Full oldest(long lsn) {
    Full oldest = full.peek();
    return oldest != null && oldest.lsnLast <= lsn ? oldest : null;
  }

  @Override
  public void discard(long lsn) {
    goneTo.accumulateAndGet(lsn, Math::max);
  }

  @Override
  public void giveBack() {
    used.dropTo(Long.MAX_VALUE);
  }

  @Override
  public synchronized long keptFrom() {
    long ofFiles = full.stream().mapToLong(Full::lsnFrom).reduce(lsnFrom(), Math::min);
    return Math.min(ofFiles, used.lsnFirst());
  }

  @Override
  public synchronized Current current() {
    var file = ChronicleJournalFactory.Found.of(current.directory());
    return new Current(Objects.requireNonNull(file).number(), current.size());
  }

  @Override
  public synchronized long bytes() {
    long ofFull = full.stream().mapToLong(each -> each.file.bytes()).sum();
    return ofFull + current.bytes() + spare.bytes() + used.bytes();
  }

  @Override
  public synchronized void close() {
    try (ChronicleFile _ = current) {
      spare.close();
    }
  }
}
