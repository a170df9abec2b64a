package io.widerow.faults;

import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.journal.ChronicleFile;
import io.widerow.storage.journal.FreshFile;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.journal.NativeFile;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.foreign.MemorySegment;
import java.lang.reflect.Field;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

/// A directory of the real disk that can lose its power, on any file system and without a device.
/// Every operation is also done on a [SimDisk], which keeps track of durable data. The journal
/// writes its files around the disk; each of its forces and each cut copies them to the simulated
/// disk. A cut writes the state that the simulated disk would have left into another directory.
///
/// ```
///   store ──► CutDisk ──► RealDisk    directory      what programs see
///     │          └──────► SimDisk     durable or not
///     └─ journal ───────► directory                  noted by forced() and at each cut
/// ```
///
/// Nothing is forced for real: the simulated disk alone decides which data survives. Forces of the
/// journal are noted in classes of a [PlantLoader] with [#FORCES].
///
/// - Threads: one.
public final class CutDisk extends DiskAround implements AutoCloseable {
  /// Calls that the hook `forced` takes over, so that forces of the journal are noted.
  public static final List<PlantLoader.Cut> FORCES =
      List.of(
          PlantLoader.Cut.to(ChronicleFile.class, "force", NativeFile.class, "force", "forced"),
          PlantLoader.Cut.to(FreshFile.class, "finish", NativeFile.class, "force", "forced"));

  private static final Map<Path, CutDisk> OPEN = new ConcurrentHashMap<>();
  private static final int PAGE_BYTES = 4 << 10;
  private static final byte[] ZEROS = new byte[PAGE_BYTES];

  private final Path directory;
  private final SimDisk durable;

  private CutDisk(Path directory, SimDisk durable) {
    super(new RealDisk());
    this.directory = directory;
    this.durable = durable;
    OPEN.put(directory, this);
  }

  /// @param directory an empty one, without symbolic links in its path
  public static CutDisk on(Path directory, long seed) {
    return new CutDisk(directory, new SimDisk(seed));
  }

  /// Called instead of [NativeFile#force].
  public static void forced(NativeFile file) {
    Path path;
    try {
      Field field = NativeFile.class.getDeclaredField("descriptor");
      field.setAccessible(true);
      path = Files.readSymbolicLink(Path.of("/proc/self/fd", field.get(file).toString()));
    } catch (IOException | ReflectiveOperationException failure) {
      throw new IllegalStateException(failure);
    }
    boolean noted = false;
    for (CutDisk disk : OPEN.values()) {
      if (path.startsWith(disk.directory)) {
        disk.noteForce(path);
        noted = true;
      }
    }
    if (!noted) {
      file.force();
    }
  }

  private void noteForce(Path file) {
    reflect(file);
    try (DiskFile same = durable.open(inside(file))) {
      same.force();
    }
  }

  /// The directory as programs see it.
  public Path directory() {
    return directory;
  }

  /// Runs before each operation, forces of the journal included. It may cut the power.
  public void beforeEach(Runnable look) {
    durable.beforeEach(look);
  }

  /// Makes the n-th operation from now and all after it fail: [SimDisk.PowerCut].
  public void cutPowerIn(int operations) {
    durable.cutPowerAt(durable.operations() + operations);
  }

  /// Cuts the power now; this disk continues.
  ///
  /// @param image directory to write the surviving state to, absent so far
  /// @param lucky whether unforced bytes, lengths and names may have survived, in any mixture
  /// @param reorders whether names may have survived without earlier ones
  public CutDisk cut(Path image, boolean lucky, boolean reorders) {
    try (Stream<Path> files = Files.walk(directory)) {
      files.filter(this::isJournal).filter(Files::isRegularFile).forEach(this::reflect);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    SimDisk left = lucky ? durable.crash(reorders) : durable.crashToDurable();
    try {
      Files.createDirectory(image);
      write(left, Path.of("/"), image);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
    return new CutDisk(image, left);
  }

  private static void write(SimDisk left, Path from, Path to) throws IOException {
    for (Path child : left.list(from)) {
      Path target = to.resolve(name(child));
      if (left.isDirectory(child)) {
        Files.createDirectory(target);
        write(left, child, target);
      } else {
        write(target, left.bytesOf(child));
      }
    }
  }

  /// Leaves holes where there are only zeros: most of a journal file.
  private static void write(Path file, byte[] bytes) throws IOException {
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE)) {
      for (int at = 0; at < bytes.length; at += PAGE_BYTES) {
        int count = Math.min(PAGE_BYTES, bytes.length - at);
        boolean last = at + count == bytes.length;
        if (last || !Arrays.equals(bytes, at, at + count, ZEROS, 0, count)) {
          ByteBuffer page = ByteBuffer.wrap(bytes, at, count);
          while (page.hasRemaining()) {
            channel.write(page, page.position());
          }
        }
      }
    }
  }

  /// Deletes the directory and all that is in it.
  public void delete() {
    close();
    try (Stream<Path> paths = Files.walk(directory)) {
      for (Path path : paths.toList().reversed()) {
        Files.delete(path);
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Override
  public void close() {
    OPEN.remove(directory);
  }

  private boolean isJournal(Path path) {
    for (Path name : directory.relativize(path)) {
      if (name.toString().equals(Journal.DIRECTORY)) {
        return true;
      }
    }
    return false;
  }

  /// Copies the present content of a file to the simulated disk.
  private void reflect(Path file) {
    try {
      durable.reflect(inside(file), Files.readAllBytes(file));
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// A path on the simulated disk.
  private Path inside(Path path) {
    return Path.of("/").resolve(directory.relativize(path).toString());
  }

  private static String name(Path path) {
    return String.valueOf(path.getFileName());
  }

  @Override
  public DiskFile create(Path file) {
    DiskFile same = durable.create(inside(file));
    return new CutFile(super.create(file), same);
  }

  @Override
  public DiskFile openForWriting(Path file) {
    DiskFile same = durable.openForWriting(inside(file));
    return new CutFile(super.openForWriting(file), same);
  }

  @Override
  public void link(Path file, Path link) {
    durable.link(inside(file), inside(link));
    super.link(file, link);
  }

  @Override
  public void createDirectory(Path path) {
    durable.createDirectory(inside(path));
    super.createDirectory(path);
  }

  @Override
  public void rename(Path source, Path target) {
    durable.rename(inside(source), inside(target));
    super.rename(source, target);
  }

  @Override
  public void delete(Path path) {
    durable.delete(inside(path));
    super.delete(path);
  }

  /// In two steps, so that a cut finds half a file.
  @Override
  public void deleteInSteps(Path file) {
    if (exists(file)) {
      try (DiskFile shrinking = openForWriting(file)) {
        shrinking.truncate(shrinking.size() / 2);
      }
      delete(file);
    }
  }

  @Override
  public void forceDirectory(Path path) {
    if (isJournal(path)) {
      list(path).stream().filter(Files::isRegularFile).forEach(this::reflect); // names of the queue
    }
    durable.forceDirectory(inside(path));
  }

  /// A file that is written through the disk.
  private static final class CutFile extends DiskFileAround {
    private final DiskFile same;

    CutFile(DiskFile file, DiskFile same) {
      super(file);
      this.same = same;
    }

    @Override
    public void write(MemorySegment source, long offset) {
      same.write(source, offset);
      super.write(source, offset);
    }

    @Override
    public void force() {
      same.force();
    }

    @Override
    public void truncate(long size) {
      same.truncate(size);
      super.truncate(size);
    }
  }
}
