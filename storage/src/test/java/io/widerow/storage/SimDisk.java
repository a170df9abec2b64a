package io.widerow.storage;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/// A disk in memory that forgets. A file has the bytes that a reader sees and those that were
/// forced; a directory the entries that are seen and the changes that were not forced. [#crash]
/// lets chance decide over everything that was not forced: each sector of 512 bytes is old, new or
/// torn, each size old or new, and of a directory's changes a prefix is kept, or, in the harsher
/// mode, any subset.
///
/// - Threads: one at a time.
final class SimDisk implements Disk {
  static final int SECTOR_BYTES = 512;

  /// What a failed force does to the pages: the kernel keeps them, as clean, or drops them.
  enum FailedForce {
    PAGES_KEPT,
    PAGES_DROPPED
  }

  private record Change(Path directory, Path entry, @Nullable Node before, @Nullable Node after) {}

  /// A file, or a directory when `isDirectory`.
  private static final class Node {
    final boolean isDirectory;
    byte[] seen = new byte[0];
    int size;
    byte[] durable = new byte[0];
    int durableSize;
    final BitSet dirty = new BitSet();

    Node(boolean isDirectory) {
      this.isDirectory = isDirectory;
    }

    void settle() {
      durable = grown(durable, size);
      if (size < durableSize) {
        Arrays.fill(durable, size, durableSize, (byte) 0);
      }
      for (int sector = dirty.nextSetBit(0); sector >= 0; sector = dirty.nextSetBit(sector + 1)) {
        copySector(sector, 0, SECTOR_BYTES);
      }
      durableSize = size;
      dirty.clear();
    }

    void copySector(int sector, int from, int until) {
      int start = sector * SECTOR_BYTES + from;
      int limit = Math.min(Math.min(sector * SECTOR_BYTES + until, size), durable.length);
      if (start < limit) {
        System.arraycopy(seen, start, durable, start, limit - start);
      }
    }
  }

  private final Map<Path, Node> nodes = new TreeMap<>();
  private final List<Change> pending = new ArrayList<>();
  private final Map<Path, String> locks = new HashMap<>();
  private final SplittableRandom random;
  private final boolean anyDirectorySubset;
  private long writesUntilFailure = Long.MAX_VALUE;
  private long forcesUntilFailure = Long.MAX_VALUE;
  private boolean failsForEver;
  private FailedForce failedForce = FailedForce.PAGES_DROPPED;
  private long capacityBytes = Long.MAX_VALUE;
  private long operations;
  private int lives;

  /// @param anyDirectorySubset the harsher mode
  SimDisk(long seed, boolean anyDirectorySubset) {
    this.random = new SplittableRandom(seed);
    this.anyDirectorySubset = anyDirectorySubset;
  }

  /// Writes, forces and directory changes so far: places to crash at.
  long operations() {
    return operations;
  }

  /// The write after `writes` more fails with EIO.
  void failWrite(long writes, boolean forEver) {
    writesUntilFailure = writes;
    failsForEver = forEver;
  }

  /// The force after `forces` more fails with EIO.
  void failForce(long forces, boolean forEver, FailedForce mode) {
    forcesUntilFailure = forces;
    failsForEver = forEver;
    failedForce = mode;
  }

  /// Bytes that all files may have together.
  void limit(long bytes) {
    capacityBytes = bytes;
  }

  /// Inverts one bit, seen and durable alike.
  void flip(Path file, long offset, int bit) {
    Node node = file(file);
    int at = Math.toIntExact(offset);
    node.seen[at] ^= (byte) (1 << bit);
    if (at < node.durable.length && !node.dirty.get(at / SECTOR_BYTES)) {
      node.durable[at] ^= (byte) (1 << bit);
    }
  }

  /// The machine loses power and comes back: files that were open fail from now on, locks are free.
  void crash() {
    lives++;
    locks.clear();
    writesUntilFailure = Long.MAX_VALUE;
    forcesUntilFailure = Long.MAX_VALUE;
    crashDirectories();
    for (Node node : nodes.values()) {
      if (!node.isDirectory && (!node.dirty.isEmpty() || node.size != node.durableSize)) {
        crashFile(node);
      }
    }
    nodes.keySet().removeIf(this::isOrphan);
  }

  private void crashDirectories() {
    int kept = pending.isEmpty() ? 0 : random.nextInt(pending.size() + 1);
    List<Change> lost = new ArrayList<>();
    for (int i = 0; i < pending.size(); i++) {
      if (anyDirectorySubset ? random.nextBoolean() : i >= kept) {
        lost.add(pending.get(i));
      }
    }
    for (Change change : lost.reversed()) {
      if (change.before == null) {
        nodes.remove(change.entry);
      } else {
        nodes.put(change.entry, change.before);
      }
    }
    pending.clear();
  }

  private boolean isOrphan(Path path) {
    Path parent = path.getParent();
    return parent != null && !nodes.containsKey(parent) && parent.getParent() != null;
  }

  private void crashFile(Node node) {
    int size = random.nextBoolean() ? node.size : node.durableSize;
    int common = Math.max(node.size, node.durableSize);
    node.durable = grown(node.durable, common);
    for (int sector = node.dirty.nextSetBit(0);
        sector >= 0;
        sector = node.dirty.nextSetBit(sector + 1)) {
      switch (random.nextInt(3)) {
        case 0 -> node.copySector(sector, 0, SECTOR_BYTES);
        case 1 -> node.copySector(sector, 0, random.nextInt(SECTOR_BYTES));
        default -> {}
      }
    }
    Arrays.fill(node.durable, size, node.durable.length, (byte) 0);
    node.dirty.clear();
    node.durableSize = size;
    node.size = size;
    node.seen = node.durable.clone();
  }

  @Override
  public DiskFile create(Path file) {
    if (nodes.containsKey(file)) {
      throw failed(file, "create", "File exists");
    }
    requireParent(file);
    Node node = new Node(false);
    change(file, node);
    return new SimFile(file, node, lives);
  }

  @Override
  public DiskFile open(Path file) {
    return new SimFile(file, file(file), lives);
  }

  @Override
  public DiskFile openForWriting(Path file) {
    return open(file);
  }

  @Override
  public boolean exists(Path path) {
    return nodes.containsKey(path);
  }

  @Override
  public void createDirectory(Path directory) {
    if (!nodes.containsKey(directory)) {
      requireParent(directory);
      change(directory, new Node(true));
    }
  }

  @Override
  public void rename(Path source, Path target) {
    Node node = file(source);
    change(target, node);
    change(source, null);
  }

  @Override
  public void delete(Path path) {
    if (!list(path).isEmpty()) {
      throw failed(path, "delete", "Directory not empty");
    }
    if (nodes.containsKey(path)) {
      change(path, null);
    }
  }

  @Override
  public List<Path> list(Path directory) {
    return nodes.keySet().stream().filter(path -> directory.equals(path.getParent())).toList();
  }

  @Override
  public void forceDirectory(Path directory) {
    countForce(directory);
    pending.removeIf(change -> change.directory.equals(directory));
  }

  @Override
  public long usableBytes(Path path) {
    return Math.max(0, capacityBytes - usedBytes());
  }

  @Override
  public AutoCloseable lock(Path file, String owner) {
    String holder = locks.putIfAbsent(file, owner);
    if (holder != null) {
      throw new StorageException.Locked(file, holder);
    }
    int life = lives;
    return () -> {
      if (life == lives) {
        locks.remove(file);
      }
    };
  }

  private void change(Path path, @Nullable Node after) {
    operations++;
    Path parent = path.getParent();
    pending.add(new Change(parent == null ? path : parent, path, nodes.get(path), after));
    if (after == null) {
      nodes.remove(path);
    } else {
      nodes.put(path, after);
    }
  }

  private void requireParent(Path path) {
    Path parent = path.getParent();
    if (parent != null && parent.getParent() != null && !nodes.containsKey(parent)) {
      throw failed(path, "create", "No such file or directory");
    }
  }

  private Node file(Path file) {
    Node node = nodes.get(file);
    if (node == null || node.isDirectory) {
      throw failed(file, "open", "No such file");
    }
    return node;
  }

  private long usedBytes() {
    return nodes.values().stream().mapToLong(node -> node.size).sum();
  }

  private void countForce(Path path) {
    operations++;
    if (forcesUntilFailure-- <= 0) {
      forcesUntilFailure = failsForEver ? 0 : Long.MAX_VALUE;
      throw failed(path, "force", "Input/output error");
    }
  }

  private static StorageException failed(Path path, String action, String why) {
    return new StorageException.Failed(path, action, new IOException(why));
  }

  private static byte[] grown(byte[] bytes, int size) {
    return bytes.length >= size ? bytes : Arrays.copyOf(bytes, Math.max(size, 2 * bytes.length));
  }

  /// An open file; fails after a crash.
  private final class SimFile implements DiskFile {
    private final Path path;
    private final Node node;
    private final int life;

    SimFile(Path path, Node node, int life) {
      this.path = path;
      this.node = node;
      this.life = life;
    }

    private void requireAlive() {
      if (life != lives) {
        throw failed(path, "use", "the machine went down");
      }
    }

    @Override
    public Path path() {
      return path;
    }

    @Override
    public long size() {
      return node.size;
    }

    @Override
    public void write(MemorySegment source, long offset) {
      requireAlive();
      operations++;
      if (writesUntilFailure-- <= 0) {
        writesUntilFailure = failsForEver ? 0 : Long.MAX_VALUE;
        writePart(source, offset, random.nextLong(source.byteSize() + 1));
        throw failed(path, "write", "Input/output error");
      }
      long growth = Math.max(0, offset + source.byteSize() - node.size);
      long room = capacityBytes == Long.MAX_VALUE ? Long.MAX_VALUE : usableBytes(path);
      if (growth > room) {
        writePart(source, offset, Math.max(0, source.byteSize() - growth + room));
        throw new StorageException.DiskFull(path, room, growth);
      }
      writePart(source, offset, source.byteSize());
    }

    private void writePart(MemorySegment source, long offset, long bytes) {
      int at = Math.toIntExact(offset);
      int count = Math.toIntExact(bytes);
      if (count > 0) {
        node.seen = grown(node.seen, at + count);
        MemorySegment.copy(source, JAVA_BYTE, 0, node.seen, at, count);
        node.size = Math.max(node.size, at + count);
        node.dirty.set(at / SECTOR_BYTES, (at + count - 1) / SECTOR_BYTES + 1);
      }
    }

    @Override
    public long read(MemorySegment target, long offset) {
      requireAlive();
      int count = (int) Math.min(target.byteSize(), Math.max(0, node.size - offset));
      if (count > 0) {
        MemorySegment.copy(node.seen, Math.toIntExact(offset), target, JAVA_BYTE, 0, count);
      }
      return count;
    }

    @Override
    public void force() {
      requireAlive();
      try {
        countForce(path);
      } catch (StorageException failure) {
        if (failedForce == FailedForce.PAGES_DROPPED) {
          node.size = node.durableSize;
          node.seen = node.durable.clone();
        }
        node.dirty.clear();
        throw failure;
      }
      node.settle();
    }

    @Override
    public void truncate(long size) {
      requireAlive();
      operations++;
      int limit = Math.toIntExact(size);
      if (limit < node.size) {
        Arrays.fill(node.seen, limit, node.size, (byte) 0);
        node.size = limit;
      }
    }

    @Override
    public void close() {}
  }
}
