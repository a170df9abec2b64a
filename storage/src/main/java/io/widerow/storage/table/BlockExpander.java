package io.widerow.storage.table;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdDecompressCtx;
import com.github.luben.zstd.ZstdException;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.util.UUID;

/// Reads, checks and expands blocks of a table file.
///
/// - Threads: one.
/// - Memory: borrows the file; owns one expanded block.
/// - Errors: [StorageException.Corrupt], which names file and offset.
final class BlockExpander implements AutoCloseable {
  private final DiskFile file;
  private final TableFileFormat.Checksum checksum;
  private final ZstdDecompressCtx zstd = new ZstdDecompressCtx();
  private byte[] raw = new byte[0];

  BlockExpander(DiskFile file, UUID store, long id) {
    this.file = file;
    this.checksum = new TableFileFormat.Checksum(store, id);
  }

  private StorageException.Corrupt corrupt(long offset, String found) {
    return new StorageException.Corrupt(file.path(), offset, found);
  }

  /// Reads bytes of the file.
  byte[] read(long offset, int count) {
    byte[] bytes = new byte[count];
    long got = file.read(MemorySegment.ofArray(bytes), offset);
    if (got != count) {
      throw corrupt(offset + Math.max(0, got), "the file ends early");
    }
    return bytes;
  }

  byte[] bytes() {
    return raw;
  }

  /// @return raw bytes of the block
  int expand(long from, long until) {
    if (until - from < TableFileFormat.BLOCK_HEAD_BYTES
        || until - from > TableFileFormat.BLOCK_BYTES_MAX) {
      throw corrupt(from, "a block of %d bytes".formatted(until - from));
    }
    byte[] stored = read(from, (int) (until - from));
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
    if (raw.length < rawBytes + ByteSource.SLACK) {
      raw = new byte[rawBytes + ByteSource.SLACK];
    }
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

  /// True when bytes are a block of rows, which it reads then.
  boolean hasRows(long from, long until, BlockRows into) {
    try {
      int length = expand(from, until);
      into.read(raw, length, from);
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
