package io.widerow.faults;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;

/// Simulated disk in memory that can lose unforced data. For every file and directory it keeps the
/// durable state and the unforced state. [#crash] gives the disk that a power cut leaves: any of
/// the sectors written since the last force may have survived, or half of one, and a prefix of the
/// directory operations or, on a reordering disk, any of them. Faults can be injected.
///
/// - Threads: any; one lock.
public final class SimDisk implements Disk {
  private final Set<OpenFile> open = ConcurrentHashMap.newKeySet();
  private final SplittableRandom random;
  private final SimDirectory root;
  private final Set<Path> locks = new HashSet<>();
  private long capacityBytes = Long.MAX_VALUE;
  private long operations; // writes, forces and directory operations so far
  private long failFrom = Long.MAX_VALUE;
  private long failUntil = Long.MAX_VALUE;
  private long fullFrom = Long.MAX_VALUE;
  private long fullUntil = Long.MAX_VALUE;
  private long refused; // for lack of room
  private long crashAt = Long.MAX_VALUE;
  private Runnable beforeEach = () -> {};

  public SimDisk(long seed) {
    this(new SplittableRandom(seed), new SimDirectory());
  }

  private SimDisk(SplittableRandom random, SimDirectory root) {
    this.random = random;
    this.root = root;
  }

  /// Thrown at the operation that [#crashAt] names, and at each one after it: the machine is off.
  public static final class PowerCut extends Error {
    private static final long serialVersionUID = 1L;
  }

  /// The disk after a power cut now.
  ///
  /// @param reorders whether directory operations may survive without earlier ones
  public synchronized SimDisk crash(boolean reorders) {
    return new SimDisk(random.split(), root.crashed(random, reorders));
  }

  /// The disk after a power cut now that kept only forced data.
  public synchronized SimDisk crashToDurable() {
    return new SimDisk(random.split(), root.durableCopy());
  }

  /// The disk after the process alone died: nothing is lost.
  public synchronized SimDisk restart() {
    return new SimDisk(random.split(), root.copy());
  }

  public synchronized long operations() {
    return operations;
  }

  /// Makes operations numbered `[from, until)` fail with EIO.
  public synchronized void failOperations(long from, long until) {
    failFrom = from;
    failUntil = until;
  }

  /// Makes operations numbered `[from, until)` that may need room fail with ENOSPC: all but
  /// deletions, truncations and forces.
  public synchronized void fillFor(long from, long until) {
    fullFrom = from;
    fullUntil = until;
  }

  /// How many operations were refused for lack of room.
  public synchronized long refused() {
    return refused;
  }

  /// Cuts the power at an operation: neither it nor any later one happens.
  public synchronized void cutPowerAt(long operation) {
    crashAt = operation;
  }

  public synchronized void limitTo(long bytes) {
    capacityBytes = bytes;
  }

  /// Flips a bit of a file, behind the back of the store.
  public synchronized void flip(Path file, long bit) {
    SimContent content = content(file);
    content.flip(bit);
  }

  public synchronized long sizeOf(Path file) {
    return content(file).size();
  }

  public synchronized byte[] bytesOf(Path file) {
    byte[] bytes = new byte[Math.toIntExact(sizeOf(file))];
    content(file).read(java.lang.foreign.MemorySegment.ofArray(bytes), 0);
    return bytes;
  }

  /// Gives a file other bytes, behind the back of the store.
  public synchronized void replace(Path file, byte[] bytes) {
    var content = new SimContent();
    content.write(java.lang.foreign.MemorySegment.ofArray(bytes), 0);
    content.force();
    parent(file).put(name(file), content);
  }

  /// Notes bytes that were written to a file without this disk, and creates it when it is not
  /// there. What differs from before is not durable yet. No operation: nothing fails or is cut
  /// here.
  public synchronized void reflect(Path file, byte[] bytes) {
    if (parent(file).entries().get(name(file)) instanceof SimContent content) {
      content.reflect(bytes);
    } else {
      var content = new SimContent();
      content.reflect(bytes);
      parent(file).put(name(file), content);
    }
  }

  /// Every file there is.
  public synchronized List<Path> files() {
    List<Path> files = new ArrayList<>();
    collect(root, Path.of("/"), files);
    return files;
  }

  private static void collect(SimDirectory directory, Path path, List<Path> files) {
    for (Map.Entry<String, Object> entry : directory.entries().entrySet()) {
      Path child = path.resolve(entry.getKey());
      if (entry.getValue() instanceof SimDirectory below) {
        collect(below, child, files);
      } else {
        files.add(child);
      }
    }
  }

  /// Runs before each operation. It may look at crashed copies of this disk.
  public synchronized void beforeEach(Runnable look) {
    beforeEach = look;
  }

  private void operation(Path path, String action) {
    beforeEach.run();
    operations++;
    if (operations >= crashAt) {
      throw new PowerCut();
    }
    if (operations >= failFrom && operations < failUntil) {
      throw new StorageException.Failed(path, action, new IOException("EIO"));
    }
  }

  private void requireRoom(Path path, long more) {
    requireSpared(path, more);
    long used = root.bytes();
    if (used + more > capacityBytes) {
      refused++;
      throw new StorageException.DiskFull(path, Math.max(0, capacityBytes - used), more);
    }
  }

  /// Fails when [#fillFor] names the present operation.
  private void requireSpared(Path path, long more) {
    if (operations >= fullFrom && operations < fullUntil) {
      refused++;
      throw new StorageException.DiskFull(path, 0, more);
    }
  }

  private SimDirectory directory(Path path) {
    SimDirectory at = root;
    for (Path name : path) {
      if (!(at.entries().get(name.toString()) instanceof SimDirectory next)) {
        throw failed(path, "find", "no such directory");
      }
      at = next;
    }
    return at;
  }

  private SimDirectory parent(Path path) {
    Path parent = path.getParent();
    return parent == null ? root : directory(parent);
  }

  private static String name(Path path) {
    return path.getFileName().toString();
  }

  private SimContent content(Path path) {
    if (parent(path).entries().get(name(path)) instanceof SimContent content) {
      return content;
    }
    throw failed(path, "open", "no such file");
  }

  private static StorageException.Failed failed(Path path, String action, String why) {
    return new StorageException.Failed(path, action, new IOException(why));
  }

  @Override
  public synchronized DiskFile create(Path file) {
    operation(file, "create");
    requireRoom(file, 0);
    if (parent(file).entries().containsKey(name(file))) {
      throw failed(file, "create", "it exists");
    }
    var content = new SimContent();
    parent(file).put(name(file), content);
    return new OpenFile(file, content);
  }

  @Override
  public synchronized DiskFile open(Path file) {
    return new OpenFile(file, content(file));
  }

  @Override
  public synchronized DiskFile openForWriting(Path file) {
    return new OpenFile(file, content(file));
  }

  @Override
  public synchronized boolean exists(Path path) {
    Path parent = path.getParent();
    if (parent == null) {
      return true;
    }
    return (parent.getNameCount() == 0 || exists(parent))
        && parent(path).entries().containsKey(name(path));
  }

  @Override
  public synchronized boolean isDirectory(Path path) {
    return exists(path) && parent(path).entries().get(name(path)) instanceof SimDirectory;
  }

  @Override
  public synchronized void link(Path file, Path link) {
    operation(link, "link");
    requireSpared(link, 0);
    if (parent(link).entries().containsKey(name(link))) {
      throw failed(link, "link", "it exists");
    }
    parent(link).put(name(link), content(file));
  }

  @Override
  public synchronized void createDirectory(Path directory) {
    if (!exists(directory)) {
      operation(directory, "create");
      requireSpared(directory, 0);
      parent(directory).put(name(directory), new SimDirectory());
    }
  }

  @Override
  public synchronized void rename(Path source, Path target) {
    operation(source, "rename");
    requireSpared(source, 0);
    if (!parent(source).entries().containsKey(name(source))) {
      throw failed(source, "rename", "no such file");
    }
    if (parent(source) == parent(target)) {
      parent(source).rename(name(source), name(target));
    } else {
      parent(source).move(name(source), parent(target), name(target));
    }
  }

  @Override
  public synchronized void delete(Path path) {
    if (exists(path)) {
      operation(path, "delete");
      parent(path).remove(name(path));
    }
  }

  @Override
  public synchronized List<Path> list(Path directory) {
    return directory(directory).entries().keySet().stream().map(directory::resolve).toList();
  }

  @Override
  public synchronized void forceDirectory(Path directory) {
    operation(directory, "force");
    directory(directory).force();
  }

  @Override
  public synchronized long usableBytes(Path path) {
    return Math.max(0, capacityBytes - root.bytes());
  }

  @Override
  public synchronized Lock lock(Path file, String owner) {
    if (!locks.add(file)) {
      throw new StorageException.Locked(file, owner);
    }
    if (!exists(file)) {
      parent(file).put(name(file), new SimContent());
    }
    return () -> {
      synchronized (SimDisk.this) {
        locks.remove(file);
      }
    };
  }

  /// An open file.
  private final class OpenFile implements DiskFile {
    private final Path path;
    private final SimContent content;

    OpenFile(Path path, SimContent content) {
      this.path = path;
      this.content = content;
      open.add(this);
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long size() {
      synchronized (SimDisk.this) {
        return content.size();
      }
    }

    @Override
    public void write(java.lang.foreign.MemorySegment source, long offset) {
      synchronized (SimDisk.this) {
        operation(path, "write");
        requireRoom(path, Math.max(0, offset + source.byteSize() - content.size()));
        content.write(source, offset);
      }
    }

    @Override
    public long read(java.lang.foreign.MemorySegment target, long offset) {
      synchronized (SimDisk.this) {
        return content.read(target, offset);
      }
    }

    @Override
    public void force() {
      synchronized (SimDisk.this) {
        operation(path, "force");
        content.force();
      }
    }

    @Override
    public void truncate(long size) {
      synchronized (SimDisk.this) {
        operation(path, "truncate");
        content.truncate(size);
      }
    }

    @Override
    public void close() {
      open.remove(this);
    }

    @Override
    public String toString() {
      return path.toString();
    }
  }

  /// Files that somebody has open: on a real disk they keep their room when they are deleted.
  public List<String> open() {
    return open.stream().map(OpenFile::toString).sorted().toList();
  }
}
