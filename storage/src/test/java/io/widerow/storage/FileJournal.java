package io.widerow.storage;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.UUID;

/// A journal over [Disk], so that a simulated one can crash below it: what [ChronicleJournal] is
/// over the real one, with plain files in the place of queues.
///
/// - Threads: one at a time.
final class FileJournal implements Journal {
  private record Full(Path file, long lsnLast, long bytes) {}

  private final Factory factory;
  private final int lane;
  private final List<Full> full = new ArrayList<>();
  private DiskFile current;
  private long offset;
  private long lsnLast;
  private boolean ended;

  private FileJournal(Factory factory, int lane, long lsnFirst) {
    this.factory = factory;
    this.lane = lane;
    this.lsnLast = lsnFirst - 1;
    this.current = start();
  }

  private DiskFile start() {
    Path file = factory.newFile(lane);
    DiskFile created = factory.disk.create(file);
    try (Arena arena = Arena.ofConfined()) {
      created.write(arena.allocate(factory.fileBytes), 0);
      created.force();
      factory.disk.forceDirectory(factory.directory);
    } catch (Throwable failure) {
      created.close();
      factory.disk.delete(file);
      throw failure;
    }
    return created;
  }

  @Override
  public void append(long lsn, MemorySegment frame) {
    requireSound();
    assert lsn == lsnLast + 1 : lsn + " behind " + lsnLast;
    assert frame.byteSize() <= factory.fileBytes : "frame of " + frame.byteSize() + " bytes";
    if (offset + frame.byteSize() > factory.fileBytes) {
      force();
      DiskFile next = start();
      full.add(new Full(current.path(), lsnLast, factory.fileBytes));
      current.close();
      current = next;
      offset = 0;
    }
    ended = true;
    current.write(frame, offset);
    ended = false;
    offset += (frame.byteSize() + FrameScanner.STEP - 1) & -FrameScanner.STEP;
    lsnLast = lsn;
  }

  @Override
  public void force() {
    requireSound();
    ended = true;
    current.force();
    ended = false;
  }

  private void requireSound() {
    if (ended) {
      throw new StorageException.Failed("the journal ended", new IllegalStateException());
    }
  }

  @Override
  public void trim(long lsn) {
    boolean deleted = false;
    while (!full.isEmpty() && full.getFirst().lsnLast <= lsn) {
      factory.disk.delete(full.removeFirst().file);
      deleted = true;
    }
    if (deleted) {
      factory.disk.forceDirectory(factory.directory);
    }
  }

  @Override
  public long bytes() {
    return full.stream().mapToLong(Full::bytes).sum() + factory.fileBytes;
  }

  @Override
  public void close() {
    current.close();
  }

  /// Makes and reads them.
  static final class Factory implements Journal.Factory {
    private final Disk disk;
    private final Path directory;
    private final UUID store;
    private final long fileBytes;
    private final List<Path> replayed = new ArrayList<>();
    private long numberNext;

    Factory(Disk disk, Path directory, UUID store, long fileBytes) {
      this.disk = disk;
      this.directory = directory;
      this.store = store;
      this.fileBytes = fileBytes;
    }

    private List<ChronicleJournalFactory.Found> found() {
      return ChronicleJournalFactory.Found.in(disk, directory);
    }

    private Path newFile(int lane) {
      for (ChronicleJournalFactory.Found file : found()) {
        numberNext = Math.max(numberNext, file.number() + 1);
      }
      return directory.resolve(ChronicleJournalFactory.name(lane, numberNext));
    }

    @Override
    public Journal create(int lane, long lsnFirst) {
      if (!disk.exists(directory)) {
        disk.createDirectory(directory);
        disk.forceDirectory(Objects.requireNonNull(directory.toAbsolutePath().getParent()));
      }
      return new FileJournal(this, lane, lsnFirst);
    }

    @Override
    public void replay(FrameReader reader) {
      replayed.clear();
      try (FrameScanner scanner = new FrameScanner(store)) {
        for (ChronicleJournalFactory.Found found : found()) {
          replayed.add(found.path());
          try (DiskFile file = disk.open(found.path())) {
            scanner.scan(found.lane(), file, reader);
          }
        }
      }
    }

    @Override
    public void deleteReplayed() {
      replayed.forEach(disk::delete);
      if (!replayed.isEmpty()) {
        disk.forceDirectory(directory);
      }
      replayed.clear();
    }
  }
}
