package io.widerow.peers;

import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.PartitionKey;
import io.widerow.event.RecordView;
import io.widerow.event.TimeUuid;
import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.CompressionType;
import org.rocksdb.FlushOptions;
import org.rocksdb.LRUCache;
import org.rocksdb.Options;
import org.rocksdb.ReadOptions;
import org.rocksdb.RocksDB;
import org.rocksdb.RocksDBException;
import org.rocksdb.RocksIterator;
import org.rocksdb.WriteBatch;
import org.rocksdb.WriteOptions;

/// RocksDB with settings that suit these events: batches of 100, the log on and not forced, zstd
/// at every level, memtables of 128 MiB, two background threads, blocks of 16 KiB, a cache of 64
/// MiB. The key is the partition's bytes and the 16 bytes of the id, so keys arrive almost in
/// order. The value is the record as it lies in the batch, passed without a copy in Java.
final class RocksPeer implements PeerStore {
  private static final int WRITE_BATCH_EVENTS = 100;
  private static final int BUCKET_MINUTES = 60;
  private static final int KEY_BYTES_MAX = 512;
  private static final int READ_AHEAD_BYTES = 2 << 20;

  static {
    RocksDB.loadLibrary();
  }

  private final LRUCache cache;
  private final Options options;
  private final WriteOptions writeOptions;
  private final WriteBatch writes = new WriteBatch(1 << 16);
  private final RocksDB db;
  private final ByteBuffer key = ByteBuffer.allocateDirect(KEY_BYTES_MAX);
  private final ByteBuffer value = ByteBuffer.allocateDirect(EventLayout.EVENT_BYTES_MAX);
  private final MemorySegment valueMemory = MemorySegment.ofBuffer(value);
  private final RecordView view = new RecordView();
  private final AttributeValue body = new AttributeValue();
  private int bucketLast = -1;
  private byte[] partition = new byte[0];
  private long counter;

  RocksPeer(Path directory) {
    cache = new LRUCache(64 << 20);
    options =
        new Options()
            .setCreateIfMissing(true)
            .setWriteBufferSize(128 << 20)
            .setMaxWriteBufferNumber(3)
            .setMaxBackgroundJobs(2)
            .setCompressionType(CompressionType.ZSTD_COMPRESSION)
            .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
            .setTableFormatConfig(
                new BlockBasedTableConfig().setBlockSize(16 << 10).setBlockCache(cache));
    writeOptions = new WriteOptions().setSync(false).setDisableWAL(false);
    try {
      db = RocksDB.open(options, directory.toString());
    } catch (RocksDBException failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public void append(EventBatch batch) {
    MemorySegment events = batch.memory();
    ByteBuffer records = events.asSlice(0, batch.bytes()).asByteBuffer();
    try {
      int waiting = 0;
      int length;
      for (int at = 0; at < batch.bytes(); at += EventLayout.alignedLength(length)) {
        length = EventLayout.length(events, at);
        writes.put(keyOf(events, at), records.limit(at + length).position(at));
        waiting++;
        if (waiting == WRITE_BATCH_EVENTS) {
          write();
          waiting = 0;
        }
      }
      if (waiting > 0) {
        write();
      }
    } catch (RocksDBException failure) {
      throw new IllegalStateException(failure);
    }
  }

  private void write() throws RocksDBException {
    db.write(writeOptions, writes);
    writes.clear();
  }

  private ByteBuffer keyOf(MemorySegment events, long at) {
    long idTime = EventLayout.idTime(events, at);
    long nanos = TimeUuid.nanosOf(idTime, EventLayout.idTail(events, at));
    int bucket = PartitionKey.bucketOf(nanos, BUCKET_MINUTES);
    if (bucket != bucketLast) {
      view.show(events, at);
      partition = new PartitionKey(bucket, BUCKET_MINUTES, view.type(), 0).toBytes();
      bucketLast = bucket;
    }
    // All tails have the same first two bits, so big-endian bytes order as the ids do.
    return key.clear()
        .put(partition)
        .putLong(idTime)
        .putLong(TimeUuid.tailOf(nanos, 0, counter++))
        .flip();
  }

  @Override
  public void flush() {
    try (var wait = new FlushOptions().setWaitForFlush(true)) {
      db.flush(wait);
      db.compactRange();
    } catch (RocksDBException failure) {
      throw new IllegalStateException(failure);
    }
  }

  @Override
  public Scanned scan() {
    try (var readOptions =
            new ReadOptions().setReadaheadSize(READ_AHEAD_BYTES).setFillCache(false);
        var cursor = db.newIterator(readOptions)) {
      long events = 0;
      long bodyBytes = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        bodyBytes += bodyBytes(cursor);
        events++;
      }
      return new Scanned(events, bodyBytes);
    }
  }

  @Override
  public Scanned latest(int count) {
    try (var readOptions = new ReadOptions();
        var cursor = db.newIterator(readOptions)) {
      int events = 0;
      long bodyBytes = 0;
      for (cursor.seekToLast(); cursor.isValid() && events < count; cursor.prev()) {
        bodyBytes += bodyBytes(cursor);
        events++;
      }
      return new Scanned(events, bodyBytes);
    }
  }

  private long bodyBytes(RocksIterator cursor) {
    cursor.key(key.clear());
    cursor.value(value.clear());
    view.show(valueMemory, 0);
    return view.find(AttributeName.BODY, body) ? body.length() : 0;
  }

  @Override
  public void close() {
    db.close();
    writes.close();
    writeOptions.close();
    options.close();
    cache.close();
  }
}
