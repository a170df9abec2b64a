package io.widerow.storage.cold;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Pieces of cold segments on the disk, in files that are appended to. When there is no room for
/// another piece, the oldest file goes. Each file of pieces has one that says where they are:
///
/// ```
///  NUMBER.pieces | piece | piece | ...         the number has 16 hexadecimal digits
///  NUMBER.index  | magic | entry | entry | ...
///
///  entry, 64 bytes
///  0        32       40       48      52          56          60      64
///  +--------+--------+--------+-------+-----------+-----------+-------+
///  | sha256 | number | offset | bytes | crc of it | entry crc | 0     |
///  +--------+--------+--------+-------+-----------+-----------+-------+
/// ```
///
/// Nothing is forced. A piece that is not what was written is not there: it is fetched again. After
/// a failure of the disk there is no cache until the next start.
///
/// - Threads: any.
/// - Memory: some 150 bytes for a piece.
final class ColdCache implements AutoCloseable {
  /// "WROWCCH1" as bytes.
  private static final long MAGIC = 0x3148_4343_574f_5257L;

  private static final int ENTRY_BYTES = 64;
  private static final int ENTRY_CRC_AT = 56;
  private static final String PIECES = ".pieces";
  private static final String INDEX = ".index";
  private static final int SHARES = 8; // files of the whole cache, about
  private static final int FILES_MAX = 64;

  private final Disk disk;
  private final Path directory;
  private final long bytesMax;
  private final ReentrantReadWriteLock lock = new ReentrantReadWriteLock();
  private final Map<Key, Place> places = new HashMap<>(); // under the lock, as all below
  private final Deque<Part> parts = new ArrayDeque<>(); // the oldest first
  private final Map<String, String> names = new HashMap<>(); // one string of each digest
  private final AtomicLong bytes = new AtomicLong();
  private @Nullable Part writing;
  private long next; // number of the next file
  private volatile @Nullable String failure;

  /// @param sha256 of the segment
  /// @param number of the piece
  private record Key(String sha256, long number) {}

  private record Place(Part part, long offset, int bytes, int crc) {}

  /// A file of pieces and its index.
  private static final class Part implements AutoCloseable {
    private final long number;
    private final DiskFile pieces;
    private final DiskFile index;
    private long bytes;
    private int entries;

    private Part(long number, DiskFile pieces, DiskFile index) {
      this.number = number;
      this.pieces = pieces;
      this.index = index;
    }

    @Override
    public void close() {
      pieces.close();
      index.close();
    }
  }

  private ColdCache(Disk disk, Path directory, long bytesMax) {
    this.disk = disk;
    this.directory = directory;
    this.bytesMax = bytesMax;
  }

  /// Opens the cache of a directory, which need not exist.
  ///
  /// @param bytesMax of all pieces
  static ColdCache open(Disk disk, Path directory, long bytesMax) {
    var cache = new ColdCache(disk, directory, bytesMax);
    try {
      disk.createDirectory(directory);
      for (Path file : disk.list(directory)) {
        if (file.toString().endsWith(INDEX)) {
          cache.take(file);
        } else if (!file.toString().endsWith(PIECES)) {
          disk.delete(file);
        }
      }
      cache.makeRoom(0);
    } catch (StorageException failed) {
      cache.fail(failed);
    }
    return cache;
  }

  /// Deletes the files of a directory.
  static void delete(Disk disk, Path directory) {
    if (disk.exists(directory)) {
      disk.list(directory).forEach(disk::delete);
      disk.delete(directory);
    }
  }

  /// Takes what an earlier process has left, as far as it is whole.
  private void take(Path file) {
    String name = file.getFileName().toString().replace(INDEX, "");
    long number;
    try {
      number = HexFormat.fromHexDigitsToLong(name);
    } catch (IllegalArgumentException notOurs) {
      disk.delete(file);
      return;
    }
    next = Math.max(next, number + 1);
    if (!disk.exists(path(number, PIECES))) {
      disk.delete(file);
      return;
    }
    var part = new Part(number, disk.open(path(number, PIECES)), disk.open(file));
    byte[] all = disk.readAll(file);
    ByteBuffer entries = ByteBuffer.wrap(all).order(ByteOrder.LITTLE_ENDIAN);
    boolean isOurs = entries.remaining() >= Long.BYTES && entries.getLong() == MAGIC;
    while (isOurs && entries.remaining() >= ENTRY_BYTES && add(part, all, entries)) {}
    parts.add(part);
    bytes.addAndGet(part.bytes);
  }

  /// Adds the next entry; false when it is none, or its piece is not there.
  private boolean add(Part part, byte[] all, ByteBuffer entries) {
    int from = entries.position();
    var crc = new CRC32C();
    crc.update(all, from, ENTRY_CRC_AT);
    byte[] sha = new byte[32];
    entries.get(sha);
    long number = entries.getLong();
    long offset = entries.getLong();
    int length = entries.getInt();
    int pieceCrc = entries.getInt();
    boolean isWhole = entries.getInt() == (int) crc.getValue();
    entries.position(from + ENTRY_BYTES);
    if (!isWhole
        || offset != part.bytes
        || length < 1
        || length > ColdPieces.PIECE_BYTES
        || offset + length > part.pieces.size()) {
      return false;
    }
    part.bytes += length;
    part.entries++;
    String sha256 = HexFormat.of().formatHex(sha);
    Key key = new Key(names.computeIfAbsent(sha256, name -> name), number);
    places.put(key, new Place(part, offset, length, pieceCrc));
    return true;
  }

  private Path path(long number, String suffix) {
    return directory.resolve("%016x%s".formatted(number, suffix));
  }

  /// Bytes of the pieces.
  long bytes() {
    return bytes.get();
  }

  /// Why nothing is kept any more; null while it works.
  @Nullable String failure() {
    return failure;
  }

  boolean has(ColdStub stub, long number) {
    lock.readLock().lock();
    try {
      return places.containsKey(new Key(stub.sha256(), number));
    } finally {
      lock.readLock().unlock();
    }
  }

  /// Reads a piece; null when it is not here.
  byte @Nullable [] get(ColdStub stub, long number) {
    Key key = new Key(stub.sha256(), number);
    try {
      Place place;
      lock.readLock().lock();
      try {
        place = places.get(key);
        if (place == null) {
          return null;
        }
        byte[] piece = new byte[place.bytes];
        long got = place.part.pieces.read(MemorySegment.ofArray(piece), place.offset);
        if (got == piece.length && crc(key, piece) == place.crc) {
          return piece;
        }
      } finally {
        lock.readLock().unlock();
      }
      forget(key, place);
    } catch (StorageException failed) {
      fail(failed); // takes the other lock
    }
    return null;
  }

  private void forget(Key key, Place damaged) {
    lock.writeLock().lock();
    try {
      places.remove(key, damaged);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /// Keeps a piece.
  void put(ColdStub stub, long number, byte[] piece) {
    lock.writeLock().lock();
    try {
      Key key = new Key(names.computeIfAbsent(stub.sha256(), name -> name), number);
      if (failure != null || places.containsKey(key) || piece.length > bytesMax) {
        return;
      }
      makeRoom(piece.length);
      Part part = part();
      int crc = crc(key, piece);
      part.pieces.write(MemorySegment.ofArray(piece), part.bytes);
      part.index.write(
          MemorySegment.ofArray(entry(key, part.bytes, piece.length, crc)),
          Long.BYTES + (long) ENTRY_BYTES * part.entries);
      places.put(key, new Place(part, part.bytes, piece.length, crc));
      part.bytes += piece.length;
      part.entries++;
      bytes.addAndGet(piece.length);
    } catch (StorageException failed) {
      fail(failed);
    } finally {
      lock.writeLock().unlock();
    }
  }

  /// The file that is appended to.
  private Part part() {
    Part part = writing;
    if (part == null || part.bytes >= bytesMax / SHARES) {
      part = new Part(next, disk.create(path(next, PIECES)), disk.create(path(next, INDEX)));
      next++;
      writing = part;
      parts.add(part);
      ByteBuffer magic = ByteBuffer.allocate(Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
      part.index.write(MemorySegment.ofArray(magic.putLong(MAGIC).array()), 0);
    }
    return part;
  }

  /// Lets the oldest files go until so many bytes have room.
  private void makeRoom(long more) {
    while (!parts.isEmpty() && (bytes.get() + more > bytesMax || parts.size() > FILES_MAX)) {
      Part oldest = parts.removeFirst();
      places.values().removeIf(place -> place.part == oldest);
      bytes.addAndGet(-oldest.bytes);
      writing = writing == oldest ? null : writing;
      oldest.close();
      disk.delete(path(oldest.number, INDEX));
      disk.delete(path(oldest.number, PIECES));
    }
  }

  private static byte[] entry(Key key, long offset, int length, int pieceCrc) {
    ByteBuffer entry =
        ByteBuffer.allocate(ENTRY_BYTES)
            .order(ByteOrder.LITTLE_ENDIAN)
            .put(HexFormat.of().parseHex(key.sha256))
            .putLong(key.number)
            .putLong(offset)
            .putInt(length)
            .putInt(pieceCrc);
    var crc = new CRC32C();
    crc.update(entry.array(), 0, ENTRY_CRC_AT);
    return entry.putInt((int) crc.getValue()).array();
  }

  /// Checksum of a piece, which tells it from those of other places.
  private static int crc(Key key, byte[] piece) {
    var crc = new CRC32C();
    crc.update(HexFormat.of().parseHex(key.sha256));
    crc.update(ByteBuffer.allocate(Long.BYTES).putLong(key.number).flip());
    crc.update(piece);
    return (int) crc.getValue();
  }

  private void fail(StorageException failed) {
    failure = String.valueOf(failed.getMessage());
    close();
  }

  /// Closes the files, which stay for the next start. Nothing is here from then on.
  @Override
  public void close() {
    lock.writeLock().lock();
    try {
      failure = failure == null ? "closed" : failure;
      places.clear();
      parts.forEach(Part::close);
      parts.clear();
      writing = null;
    } finally {
      lock.writeLock().unlock();
    }
  }
}
