package io.widerow.cql.engine;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.BlockCache;
import io.widerow.storage.disk.DiskFile;
import java.util.UUID;

/// Reader of the blocks of one table file: checks and expands them, or finds them in the cache. It
/// keeps the block of rows that it read last.
///
/// - Threads: one.
/// - Memory: a native context of about 160 KiB, and the block, until [#close].
/// - Errors: [StorageException.Corrupt], which names file and offset.
final class BlockExpander implements AutoCloseable {
  private final DiskFile file;
  private final long id;
  private final BlockCache cache;
  private final TableFileFormat.Checksum checksum;
  private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
  private final BlockRows rows;
  private byte[] raw = new byte[0];
  private long rowsAt = -1; // offset of the block whose rows it has

  BlockExpander(DiskFile file, UUID store, long id, BlockCache cache) {
    this.file = file;
    this.id = id;
    this.cache = cache;
    this.checksum = new TableFileFormat.Checksum(store, id);
    this.rows = new BlockRows(file.path());
  }

  byte[] bytes() {
    return raw;
  }

  /// The rows that were read last.
  BlockRows rows() {
    return rows;
  }

  private StorageException.Corrupt corrupt(long offset, String found) {
    return new StorageException.Corrupt(file.path(), offset, found);
  }

  /// @return raw bytes of the block
  int expand(long from, long until) {
    rowsAt = -1;
    if (until - from < TableFileFormat.BLOCK_HEAD_BYTES
        || until - from > TableFileFormat.BLOCK_BYTES_MAX) {
      throw corrupt(from, "a block of %d bytes".formatted(until - from));
    }
    byte[] stored = TableFileFormat.read(file, from, (int) (until - from));
    int rawBytes = (int) ByteSink.INT.get(stored, 0);
    int storedBytes = (int) ByteSink.INT.get(stored, 4);
    int head = TableFileFormat.BLOCK_HEAD_BYTES;
    if (storedBytes != stored.length - head
        || rawBytes < storedBytes
        || rawBytes > TableFileFormat.BLOCK_BYTES_MAX
        || !TableFileFormat.mayExpand(storedBytes, rawBytes)
        || checksum.of(from, rawBytes, storedBytes, stored, head)
            != (int) ByteSink.INT.get(stored, 8)) {
      throw corrupt(from, "a block fails its checksum");
    }
    makeRoom(rawBytes);
    if (rawBytes == storedBytes) {
      System.arraycopy(stored, head, raw, 0, rawBytes);
      return rawBytes;
    }
    try {
      int got = zstd.decompressByteArray(raw, 0, rawBytes, stored, head, storedBytes);
      if (Zstd.isError(got) || got != rawBytes) {
        throw corrupt(from, "a block expands to %d of %d bytes".formatted(got, rawBytes));
      }
    } catch (ZstdException damaged) {
      throw corrupt(from, "a block cannot be expanded: " + damaged.getMessage());
    }
    return rawBytes;
  }

  private void makeRoom(int rawBytes) {
    if (raw.length < rawBytes + ByteSource.SLACK) {
      raw = new byte[rawBytes + ByteSource.SLACK];
    }
  }

  /// True when it has the rows of the block at this offset, whole.
  boolean hasRead(long from) {
    return rowsAt == from;
  }

  /// Reads a block of rows.
  void readRows(long from, long until) {
    int length = expand(from, until);
    rows.read(raw, length, from);
    rowsAt = from;
  }

  /// Reads a block of rows that is worth keeping: the next reader may want it too.
  void readKeptRows(long from, long until) {
    makeRoom(BlockCache.BLOCK_BYTES_MAX);
    int length = cache.find(id, from, raw);
    if (length == 0) {
      length = expand(from, until);
      cache.keep(id, from, raw, length);
    }
    rows.read(raw, length, from);
    rowsAt = from;
  }

  /// Has no rows from now on.
  void clear() {
    rows.clear();
    rowsAt = -1;
  }

  /// True when bytes are a block of rows, which it has read then.
  boolean hasRows(long from, long until) {
    try {
      readRows(from, until);
      return true;
    } catch (StorageException.Corrupt noRows) {
      return false;
    }
  }

  @Override
  public void close() {
    zstd.close();
  }
}
