package io.widerow.cql.engine;

import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.UUID;
import java.util.zip.CRC32C;

/// Layout of a table file: rows in the order of their keys, each with one fragment.
///
/// ```
///   head:    magic (8) | store id (16) | file id (8)
///   blocks:  rows, each of about 16 KiB, then the index, the filter, the facts,
///            the widths
///   foot:    index (8) | filter (8) | facts (8) | widths (8) | bytes (8)
///            | crc32c (4) | zeros (4) | magic (8)
///
///   a block: raw bytes (4) | stored bytes (4) | crc32c (4) | bytes, by zstd when fewer are stored,
///            and not less than a 1,024th of more than 64 KiB
///   rows:    each: shared | more | partition | fragment bytes | the rest of the key | fragment
///   index:   bytes | first key | count, each: offset | bytes | last key of the block
///   filter:  words (8 each) of a Bloom filter over the first 12 bytes of keys; none for no filter
///   facts:   rows | rows that hide others | newest | lsn after | lsn last | count | sources
///   widths:  the widest partitions, see Widths
/// ```
///
/// Little-endian; numbers without a width are varints. `shared` is how many bytes a key has in
/// common with the one before it in the block. Checksums cover the store id, the file id, the
/// offset of the block, its two lengths and its bytes; the checksum of the foot covers the bytes
/// before it, with its own offset.
final class TableFileFormat {
  static final long MAGIC = 0x31424154574F5257L; // "WROWTAB1" in the order of the bytes on disk
  static final int HEAD_BYTES = 32;

  /// Bytes of the foot that its checksum is about.
  static final int FOOT_CHECKED = 40;

  static final int FOOT_BYTES = FOOT_CHECKED + 16;
  static final int BLOCK_HEAD_BYTES = 12;

  /// Raw bytes of rows from which a block ends.
  static final int BLOCK_BYTES = 16 << 10;

  /// The most raw bytes of a block: a row may be long, and an index has all blocks of a file.
  static final int BLOCK_BYTES_MAX = 1 << 30;

  /// A block that is expanded to more than so many times its stored bytes is stored as it is, so
  /// that a forged file takes no more memory than it has bytes. Smaller blocks may be expanded
  /// more.
  private static final int EXPANSION_MAX = 1 << 10;

  private static final int EXPANDED_ANYWAY_BYTES = 64 << 10;

  static boolean mayExpand(int stored, int raw) {
    return raw <= EXPANDED_ANYWAY_BYTES || raw <= (long) EXPANSION_MAX * stored;
  }

  /// First bytes of a key that the filter is about: table and token.
  static final int FILTER_KEY_BYTES = 12;

  static final int LEVEL = 1;

  private TableFileFormat() {}

  /// Checksums of the parts of one file.
  ///
  /// - Threads: one.
  static final class Checksum {
    private final CRC32C crc = new CRC32C();
    private final ByteBuffer salt = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);

    Checksum(UUID store, long id) {
      salt.putLong(0, store.getMostSignificantBits())
          .putLong(8, store.getLeastSignificantBits())
          .putLong(16, id);
    }

    int of(long fileOffset, int raw, int stored, byte[] bytes, int at) {
      salt.putLong(24, fileOffset).putInt(32, raw).putInt(36, stored);
      crc.reset();
      crc.update(salt.array(), 0, 40);
      crc.update(bytes, at, stored);
      return (int) crc.getValue();
    }
  }

  /// Where the parts of a file are.
  ///
  /// @param end of the last part
  record Foot(long indexAt, long filterAt, long factsAt, long widthsAt, long end) {}

  /// Reads the head and the foot of a file.
  ///
  /// @throws StorageException.Corrupt when it is not a whole file of this store and id
  static Foot readFoot(DiskFile file, UUID store, long id) {
    long size = file.size();
    if (size < HEAD_BYTES + FOOT_BYTES) {
      throw corrupt(file, 0, "%d bytes are no table file".formatted(size));
    }
    long footAt = size - FOOT_BYTES;
    ByteSink head = new ByteSink();
    putHead(head, store, id);
    byte[] start = read(file, 0, HEAD_BYTES);
    if (!Arrays.equals(start, 0, start.length, head.bytes(), 0, head.length())) {
      throw corrupt(file, 0, "it is not file %d of the tables of this store".formatted(id));
    }
    byte[] foot = read(file, footAt, FOOT_BYTES);
    int crc = new Checksum(store, id).of(footAt, 0, FOOT_CHECKED, foot, 0);
    if ((long) ByteSink.LONG.get(foot, FOOT_BYTES - Long.BYTES) != MAGIC
        || (int) ByteSink.INT.get(foot, FOOT_CHECKED) != crc
        || (long) ByteSink.LONG.get(foot, FOOT_CHECKED - Long.BYTES) != size) {
      throw corrupt(file, footAt, "the foot of the file fails its checksum");
    }
    Foot parts =
        new Foot(
            (long) ByteSink.LONG.get(foot, 0),
            (long) ByteSink.LONG.get(foot, 8),
            (long) ByteSink.LONG.get(foot, 16),
            (long) ByteSink.LONG.get(foot, 24),
            footAt);
    if (parts.indexAt < HEAD_BYTES
        || parts.filterAt < parts.indexAt
        || parts.factsAt < parts.filterAt
        || parts.widthsAt < parts.factsAt
        || footAt <= parts.widthsAt) {
      throw corrupt(file, footAt, "parts that are not in order");
    }
    return parts;
  }

  /// @throws StorageException.Corrupt when the file ends before
  static byte[] read(DiskFile file, long offset, int count) {
    byte[] bytes = new byte[count];
    long got = file.read(MemorySegment.ofArray(bytes), offset);
    if (got != count) {
      throw corrupt(file, offset + Math.max(0, got), "the file ends early");
    }
    return bytes;
  }

  private static StorageException.Corrupt corrupt(DiskFile file, long offset, String found) {
    return new StorageException.Corrupt(file.path(), offset, found);
  }

  static void putHead(ByteSink out, UUID store, long id) {
    out.putLong(MAGIC);
    out.putLong(store.getMostSignificantBits());
    out.putLong(store.getLeastSignificantBits());
    out.putLong(id);
  }

  /// A hash of the bytes that the filter is about.
  static long hash(byte[] key) {
    ByteBuffer bytes = ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN);
    return mix(bytes.getLong(4) ^ mix(bytes.getInt(0) + 0x9E3779B97F4A7C15L));
  }

  private static long mix(long value) {
    long mixed = (value ^ value >>> 33) * 0xFF51AFD7ED558CCDL;
    mixed = (mixed ^ mixed >>> 33) * 0xC4CEB9FE1A85EC53L;
    return mixed ^ mixed >>> 33;
  }
}
