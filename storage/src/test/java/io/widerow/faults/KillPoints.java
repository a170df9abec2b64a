package io.widerow.faults;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.JournalFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.IntToLongFunction;
import java.util.function.Supplier;

/// Kill points: they end this process, as `kill -9` does, before or after the n-th operation of a
/// kind, such as a write, force or rename of a segment or of the manifest, or an operation of the
/// real journal. They count how often every point is passed.
///
/// - Threads: one.
public final class KillPoints {
  /// Exit code of a process that reached its point.
  public static final int REACHED = 99;

  private final Map<String, Integer> passed = new TreeMap<>();
  private final String point;
  private final int nth;

  /// @param point where to end; empty to end nowhere
  /// @param nth from 1
  KillPoints(String point, int nth) {
    this.point = point;
    this.nth = nth;
  }

  /// How often each point was passed.
  Map<String, Integer> passed() {
    return passed;
  }

  private void pass(String name) {
    int times = passed.merge(name, 1, Integer::sum);
    if (name.equals(point) && times == nth) {
      Runtime.getRuntime().halt(REACHED);
    }
  }

  private <T> T around(String operation, Supplier<T> work) {
    pass("before " + operation);
    T result = work.get();
    pass("after " + operation);
    return result;
  }

  private void around(String operation, Runnable work) {
    around(
        operation,
        () -> {
          work.run();
          return 0;
        });
  }

  /// The kind of a path, without its numbers.
  private static String kind(Path path) {
    String text = path.toString();
    for (String kind :
        new String[] {"/segments/", "/notes/", "/journal/", "manifest", "FORMAT", "witness"}) {
      if (text.contains(kind)) {
        return "of " + kind.replace("/", "");
      }
    }
    String name = String.valueOf(path.getFileName());
    return switch (name) {
      case "segments", "notes", "journal" -> "of all " + name;
      case "store" -> "of the store";
      default -> "around the store";
    };
  }

  Disk disk(Disk disk) {
    return new PointedDisk(disk);
  }

  Journal.Factory journals(Journal.Factory factory) {
    return new PointedFactory(factory);
  }

  /// A disk with points before and after every operation that changes it.
  private final class PointedDisk extends DiskAround {
    PointedDisk(Disk disk) {
      super(disk);
    }

    @Override
    public DiskFile create(Path file) {
      return new PointedFile(around("create " + kind(file), () -> super.create(file)));
    }

    @Override
    public DiskFile openForWriting(Path file) {
      return new PointedFile(super.openForWriting(file));
    }

    @Override
    public void createDirectory(Path directory) {
      if (!exists(directory)) {
        around("directory " + kind(directory), () -> super.createDirectory(directory));
      }
    }

    @Override
    public void rename(Path source, Path target) {
      around("rename " + kind(target), () -> super.rename(source, target));
    }

    @Override
    public void delete(Path path) {
      if (exists(path)) {
        around("delete " + kind(path), () -> super.delete(path));
      }
    }

    @Override
    public void forceDirectory(Path directory) {
      around("force directory " + kind(directory), () -> super.forceDirectory(directory));
    }

    @Override
    public Lock lock(Path file, String owner) {
      return () -> {}; // a process opens the store twice, the second time as if it were another
    }
  }

  /// A file of it.
  private final class PointedFile extends DiskFileAround {
    PointedFile(DiskFile file) {
      super(file);
    }

    @Override
    public void write(MemorySegment source, long offset) {
      around("write " + kind(path()), () -> super.write(source, offset));
    }

    @Override
    public void force() {
      around("force " + kind(path()), super::force);
    }

    @Override
    public void truncate(long size) {
      around("truncate " + kind(path()), () -> super.truncate(size));
    }
  }

  /// The real journals.
  private final class PointedFactory implements Journal.Factory {
    private final Journal.Factory factory;

    PointedFactory(Journal.Factory factory) {
      this.factory = factory;
    }

    @Override
    public Journal.Factory at(Path otherDirectory) {
      return new PointedFactory(factory.at(otherDirectory));
    }

    @Override
    public Journal create(int lane, long lsnFirst) {
      return new PointedJournal(around("journal create", () -> factory.create(lane, lsnFirst)));
    }

    @Override
    public Journal goOn(int lane, long lsnFirst) {
      return new PointedJournal(around("journal go on", () -> factory.goOn(lane, lsnFirst)));
    }

    @Override
    public void replay(Journal.FrameReader reader) {
      around("journal replay", () -> factory.replay(reader));
    }

    @Override
    public long copyTo(Path storeDirectory, IntToLongFunction lsnLast) {
      return factory.copyTo(storeDirectory, lsnLast);
    }

    @Override
    public List<JournalFile> files(int lane) {
      return factory.files(lane);
    }

    @Override
    public void scan(JournalFile file, long offset, Journal.FrameReader reader) {
      factory.scan(file, offset, reader);
    }

    @Override
    public void deleteReplayed() {
      around("journal delete replayed", factory::deleteReplayed);
    }
  }

  /// The real journal of a lane.
  private final class PointedJournal implements Journal {
    private final Journal journal;

    PointedJournal(Journal journal) {
      this.journal = journal;
    }

    @Override
    public void append(long lsn, MemorySegment frame) {
      around("journal append", () -> journal.append(lsn, frame));
    }

    @Override
    public void force() {
      around("journal force", journal::force);
    }

    @Override
    public boolean rest() {
      return around("journal rest", journal::rest);
    }

    @Override
    public void trim(long lsn) {
      around("journal trim", () -> journal.trim(lsn));
    }

    @Override
    public Current current() {
      return journal.current();
    }

    @Override
    public long bytes() {
      return journal.bytes();
    }

    @Override
    public void close() {
      journal.close();
    }
  }
}
