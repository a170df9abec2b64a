package io.widerow.cql.engine;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.widerow.cql.fragment.FragmentEncoder;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.tablestats.TableFilter;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.cql.tablestats.WidthCounter;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import io.widerow.storage.manifest.TableEntry;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.UUID;

/// Writer of a table file, see [TableFileFormat]. Rows come in the order of their keys.
///
/// - Threads: one.
/// - Memory: a block, and 8 bytes for each partition.
final class TableFileWriter implements AutoCloseable {
  private static final int WRITE_BYTES = 256 << 10;

  private final DiskFile file;
  private final long id;
  private final TableFileFormat.Checksum checksum;
  private final ZstdCompressCtx zstd = new ZstdCompressCtx().setLevel(TableFileFormat.LEVEL);
  private final ByteSink out = new ByteSink(); // not written yet
  private final ByteSink block = new ByteSink();
  private final ByteSink index = new ByteSink(); // without its count
  private long outAt; // offset in the file of the unwritten bytes
  private byte[] first = new byte[0]; // key
  private byte[] last = new byte[0]; // key
  private int lastBytes = -1;
  private boolean blockIsEmpty = true;
  private long blocks;
  private long rows;
  private long hiding;
  private long[] hashes = new long[1 << 10];
  private int hashCount;
  private boolean filters = true;
  private final WidthCounter widths = new WidthCounter();

  /// @param path must not exist
  TableFileWriter(Disk disk, Path path, UUID store, long id) {
    this.file = disk.create(path);
    this.id = id;
    this.checksum = new TableFileFormat.Checksum(store, id);
    TableFileFormat.putHead(out, store, id);
  }

  /// Adds a row.
  ///
  /// @param keyThere has the key in its first bytes
  /// @param told the encoder that wrote the fragment
  void add(byte[] keyThere, int keyBytes, int partition, ByteSink fragment, FragmentEncoder told) {
    int before = lastBytes;
    byte[] key = Arrays.copyOf(keyThere, keyBytes);
    assert before < 0 || Arrays.compareUnsigned(last, 0, before, key, 0, keyBytes) < 0
        : "a key that is not behind the last one";
    int common = before < 0 ? 0 : Keys.common(last, before, key, keyBytes);
    int shared = blockIsEmpty ? 0 : common;
    block.putVarint(shared);
    block.putVarint(keyBytes - shared);
    block.putVarint(partition);
    block.putVarint(fragment.length());
    block.put(key, shared, keyBytes - shared);
    block.put(fragment);
    blockIsEmpty = false;
    first = rows == 0 ? key : first;
    last = key;
    lastBytes = keyBytes;
    rows++;
    hiding += (told.flags() & FragmentEncoder.HIDES_ROWS) != 0 ? 1 : 0;
    boolean isMarked = (told.flags() & FragmentEncoder.LIVE) != 0;
    widths.add(key, partition, common, told.showsRow(), isMarked, told.firstExpiry());
    addHash(key);
    if (block.length() >= TableFileFormat.BLOCK_BYTES) {
      endBlock();
    }
  }

  private void addHash(byte[] key) {
    if (key.length < TableFileFormat.FILTER_KEY_BYTES) {
      filters = false;
      return;
    }
    long hash = TableFileFormat.hash(key);
    if (hashCount > 0 && hashes[hashCount - 1] == hash) {
      return;
    }
    if (hashCount == hashes.length) {
      hashes = Arrays.copyOf(hashes, 2 * hashCount);
    }
    hashes[hashCount++] = hash;
  }

  private void endBlock() {
    if (blockIsEmpty) {
      return;
    }
    long offset = put(block);
    index.putVarint(offset);
    index.putVarint(lastBytes);
    index.put(last, 0, lastBytes);
    blocks++;
    blockIsEmpty = true;
    block.clear();
  }

  /// Puts a block behind what there is.
  ///
  /// @return its offset in the file
  private long put(ByteSink content) {
    int raw = content.length();
    long offset = outAt + out.length();
    int headAt = out.length();
    int bound = Math.toIntExact(Math.max(raw, Zstd.compressBound(raw)));
    out.reserve(TableFileFormat.BLOCK_HEAD_BYTES + bound);
    out.advance(TableFileFormat.BLOCK_HEAD_BYTES);
    int stored = zstd.compressByteArray(out.bytes(), out.length(), bound, content.bytes(), 0, raw);
    if (stored >= raw || !TableFileFormat.mayExpand(stored, raw)) {
      stored = raw;
      System.arraycopy(content.bytes(), 0, out.bytes(), out.length(), raw);
    }
    int crc = checksum.of(offset, raw, stored, out.bytes(), out.length());
    out.advance(stored);
    ByteSink.INT.set(out.bytes(), headAt, raw);
    ByteSink.INT.set(out.bytes(), headAt + 4, stored);
    ByteSink.INT.set(out.bytes(), headAt + 8, crc);
    if (out.length() >= WRITE_BYTES) {
      write();
    }
    return offset;
  }

  private void write() {
    file.write(out.memory(0), outAt);
    outAt += out.length();
    out.clear();
  }

  long rows() {
    return rows;
  }

  /// Ends the file and forces it.
  TableEntry finish(TableOrigin origin) {
    endBlock();
    ByteSink blockIndex = new ByteSink();
    blockIndex.putVarint(first.length);
    blockIndex.put(first, 0, first.length);
    blockIndex.putVarint(blocks);
    blockIndex.put(index);
    long indexAt = put(blockIndex);
    ByteSink part = new ByteSink();
    if (filters) {
      for (long word : TableFilter.of(hashes, hashCount).words()) {
        part.putLong(word);
      }
    }
    long filterAt = put(part);
    part.clear();
    part.putVarint(rows);
    part.putVarint(hiding);
    origin.put(part);
    long factsAt = put(part);
    part.clear();
    widths.end().put(part);
    long widthsAt = put(part);
    long footAt = outAt + out.length();
    int from = out.length();
    out.putLong(indexAt);
    out.putLong(filterAt);
    out.putLong(factsAt);
    out.putLong(widthsAt);
    out.putLong(footAt + TableFileFormat.FOOT_BYTES);
    out.putInt(checksum.of(footAt, 0, TableFileFormat.FOOT_CHECKED, out.bytes(), from));
    out.putInt(0);
    out.putLong(TableFileFormat.MAGIC);
    write();
    file.force();
    return new TableEntry(id, outAt, rows);
  }

  @Override
  public void close() {
    zstd.close();
    file.close();
  }
}
