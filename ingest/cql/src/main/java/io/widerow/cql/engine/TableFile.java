package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.cql.tablestats.TableFilter;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.cql.tablestats.Widths;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.BlockCache;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/// A table file that is open for reading, see [TableFileFormat]. It may be damaged or forged: no
/// length is believed before its checksum was compared, and none is used beyond the file.
///
/// - Threads: any; each [Fragments] one.
/// - Memory: the last key of each block, the filter, and one idle reader, since making one costs
///   more than to read a block.
/// - Errors: [StorageException.Corrupt], which names file and offset.
final class TableFile implements AutoCloseable {
  /// Stands for the widths where blocks of rows have their numbers.
  private static final int WIDTHS = -1;

  /// A reader that has expanded a larger block is not kept.
  private static final int IDLE_BYTES_MAX = 256 << 10;

  private final DiskFile file;
  private final UUID store;
  private final long id;
  private final BlockCache cache;
  private long[] offsets = new long[0]; // of blocks of rows, and the end of the last one
  private long[] pieces = new long[0]; // of a salvaged file: starts and ends of blocks of rows
  private byte[][] lastKeys = new byte[0][];
  private byte[] firstKey = new byte[0];
  private TableFilter filter = TableFilter.of(new long[0]);
  private long rows;
  private long hiding;
  private TableOrigin origin = new TableOrigin(0, 0, 0, List.of());
  private TableFileFormat.@Nullable Foot foot; // null for a salvaged file
  private final AtomicReference<@Nullable BlockExpander> idle = new AtomicReference<>();

  private TableFile(DiskFile file, UUID store, long id, BlockCache cache) {
    this.file = file;
    this.store = store;
    this.id = id;
    this.cache = cache;
  }

  /// @throws StorageException.Corrupt when it is not a whole file of this store and id
  static TableFile open(Disk disk, Path path, UUID store, long id, BlockCache cache) {
    DiskFile file = disk.open(path);
    try {
      var opened = new TableFile(file, store, id, cache);
      opened.readParts();
      return opened;
    } catch (Throwable failure) {
      file.close();
      throw failure;
    }
  }

  /// The same, of a file whose blocks are not cached.
  static TableFile open(Disk disk, Path path, UUID store, long id) {
    return open(disk, path, store, id, BlockCache.none());
  }

  private StorageException.Corrupt corrupt(long offset, String found) {
    return new StorageException.Corrupt(file.path(), offset, found);
  }

  /// @throws StorageException.Corrupt when the file ends before
  static byte[] read(DiskFile file, long offset, int count) {
    byte[] bytes = new byte[count];
    long got = file.read(MemorySegment.ofArray(bytes), offset);
    if (got != count) {
      throw new StorageException.Corrupt(
          file.path(), offset + Math.max(0, got), "the file ends early");
    }
    return bytes;
  }

  private void readParts() {
    TableFileFormat.Foot parts = TableFileFormat.readFoot(file, store, id);
    readIndex(block(parts.indexAt(), parts.filterAt()), parts.indexAt());
    readFilter(block(parts.filterAt(), parts.factsAt()), parts.filterAt());
    readFacts(block(parts.factsAt(), parts.widthsAt()), parts.factsAt());
    foot = parts;
  }

  /// A block, checked and expanded.
  private ByteSource block(long from, long until) {
    try (var reader = new BlockExpander(file, store, id, cache)) {
      int length = reader.expand(from, until);
      return new ByteSource(file.path()).over(reader.bytes(), 0, length, from);
    }
  }

  private void readIndex(ByteSource in, long indexAt) {
    firstKey = key(in);
    int count = in.readCount(1, Math.max(1, in.left()), "blocks");
    offsets = new long[count + 1];
    lastKeys = new byte[count][];
    for (int i = 0; i < count; i++) {
      offsets[i] = in.readVarint();
      lastKeys[i] = key(in);
      long least = i == 0 ? TableFileFormat.HEAD_BYTES : offsets[i - 1] + 1;
      byte[] before = i == 0 ? firstKey : lastKeys[i - 1];
      int order = Arrays.compareUnsigned(before, lastKeys[i]);
      if (offsets[i] < least || offsets[i] >= indexAt || order > 0 || (order == 0 && i > 0)) {
        throw in.corrupt("block %d of the index is not behind the one before".formatted(i));
      }
    }
    if (offsets[0] != TableFileFormat.HEAD_BYTES) {
      throw in.corrupt("the first block is at " + offsets[0]);
    }
    offsets[count] = indexAt;
    in.requireEnd("the index");
  }

  private static byte[] key(ByteSource in) {
    int bytes = in.readCount(1, 0xffff, "bytes of a key");
    int at = in.skip(bytes, "a key");
    return Arrays.copyOfRange(in.bytes(), at, at + bytes);
  }

  private void readFilter(ByteSource in, long filterAt) {
    if (in.left() % Long.BYTES != 0) {
      throw corrupt(filterAt, "a filter of %d bytes".formatted(in.left()));
    }
    long[] words = new long[in.left() / Long.BYTES];
    for (int i = 0; i < words.length; i++) {
      words[i] = in.readLong();
    }
    filter = TableFilter.of(words);
  }

  private void readFacts(ByteSource in, long factsAt) {
    rows = in.readVarint();
    hiding = in.readVarint();
    if (rows < 1 || hiding < 0 || hiding > rows) {
      throw corrupt(factsAt, "%d of %d rows hide others".formatted(hiding, rows));
    }
    origin = TableOrigin.of(in);
  }

  Path path() {
    return file.path();
  }

  long id() {
    return id;
  }

  long bytes() {
    return file.size();
  }

  long rows() {
    return rows;
  }

  TableOrigin origin() {
    return origin;
  }

  /// True when it may have deletions of partitions or ranges.
  boolean hidesRows() {
    return hiding > 0;
  }

  int blocks() {
    return lastKeys.length;
  }

  private long start(int block) {
    return pieces.length > 0 ? pieces[2 * block] : offsets[block];
  }

  private long end(int block) {
    return pieces.length > 0 ? pieces[2 * block + 1] : offsets[block + 1];
  }

  /// False when it surely has no key of a range.
  boolean mayHave(KeyRange range) {
    return range.meets(firstKey, lastKeys[lastKeys.length - 1])
        && (range.common() < TableFileFormat.FILTER_KEY_BYTES
            || filter.mayHave(TableFileFormat.hash(range.fromArray())));
  }

  /// Bytes of the blocks that have nothing but forgotten keys.
  long bytesOf(ObsoleteKeys forgotten) {
    long bytes = 0;
    for (int block = 0; block < blocks(); block++) {
      if (forgotten.holdsAll(block == 0 ? firstKey : lastKeys[block - 1], lastKeys[block])) {
        bytes += end(block) - start(block);
      }
    }
    return bytes;
  }

  /// The sizes of its partitions. Not of a salvaged file.
  Widths widths() {
    TableFileFormat.Foot parts = Objects.requireNonNull(foot);
    return Widths.read(block(parts.widthsAt(), parts.end()));
  }

  /// Bytes that the rows of a range take: of a block that has others too, their share.
  long bytesOf(KeyRange range) {
    long bytes = 0;
    BlockExpander reader = expander();
    try {
      boolean goesOn = true;
      for (int i = blockOf(range.from(), range.fromBytes()); goesOn && i < blocks(); i++) {
        byte[] first = i == 0 ? firstKey : lastKeys[i - 1];
        byte[] last = lastKeys[i];
        goesOn = range.isBeforeEnd(MemorySegment.ofArray(last), 0, last.length);
        boolean isWhole =
            goesOn && range.isFromStart(MemorySegment.ofArray(first), 0, first.length);
        long stored = end(i) - start(i);
        if (!isWhole) {
          load(reader, i, false);
          stored = stored * reader.rows().rawBytes(range) / reader.rows().rawBytes(KeyRange.ALL);
        }
        bytes += stored;
      }
    } finally {
      letGo(reader);
    }
    return bytes;
  }

  /// Its rows in a range of keys.
  Fragments fragments(KeyRange range, boolean descending) {
    return new Rows(range, descending, Set.of());
  }

  /// All of its rows but those of damaged blocks.
  Fragments fragmentsWithout(Set<Integer> damaged) {
    return new Rows(KeyRange.ALL, false, damaged);
  }

  /// Finds the blocks of a file whose index or foot cannot be read: one block leads to the next, as
  /// long as lengths make sense.
  ///
  /// @param file belongs to the result
  static TableFile salvage(DiskFile file, UUID store, long id) {
    BlockCache cache = BlockCache.none();
    var found = new TableFile(file, store, id, cache);
    List<Long> starts = new ArrayList<>();
    List<byte[]> keys = new ArrayList<>();
    long at = TableFileFormat.HEAD_BYTES;
    long size = file.size();
    try (var reader = new BlockExpander(file, store, id, cache)) {
      BlockRows block = reader.rows();
      while (at + TableFileFormat.BLOCK_HEAD_BYTES < size) {
        byte[] head = read(file, at, TableFileFormat.BLOCK_HEAD_BYTES);
        int stored = (int) ByteSink.INT.get(head, 4);
        long next = at + TableFileFormat.BLOCK_HEAD_BYTES + stored;
        if (stored < 0 || next > size) {
          break;
        }
        if (reader.hasRows(at, next)) {
          found.firstKey = keys.isEmpty() ? block.firstKey() : found.firstKey;
          found.rows += block.count();
          starts.add(at);
          starts.add(next);
          keys.add(block.lastKey());
        }
        at = next;
      }
    }
    found.pieces = starts.stream().mapToLong(Long::longValue).toArray();
    found.lastKeys = keys.toArray(byte[][]::new);
    return found;
  }

  /// Reads every byte that has a checksum, and every fragment.
  ///
  /// @param damaged takes blocks that cannot be read
  void verify(BiConsumer<Integer, StorageException.Corrupt> damaged) {
    try (var reader = new BlockExpander(file, store, id, cache)) {
      BlockRows block = reader.rows();
      var fragment = new FragmentReader();
      byte[] before = new byte[0];
      for (int i = 0; i < blocks(); i++) {
        try {
          load(reader, i, false);
          before = check(block, fragment, i == 0 ? firstKey : before, i);
        } catch (StorageException.Corrupt corrupt) {
          damaged.accept(i, corrupt);
          before = lastKeys[i];
        }
      }
    }
    try {
      if (foot != null) {
        var _ = widths();
      }
    } catch (StorageException.Corrupt corrupt) {
      damaged.accept(WIDTHS, corrupt);
    }
  }

  private byte[] check(BlockRows block, FragmentReader reader, byte[] before, int index) {
    int first =
        Keys.compare(
            block.keyMemory(),
            0,
            block.keyBytes(0),
            MemorySegment.ofArray(before),
            0,
            before.length);
    if (index == 0 ? first != 0 : first <= 0) {
      throw corrupt(start(index), "its first key is not where the index has it");
    }
    for (int row = 0; row < block.count(); row++) {
      reader.over(block.raw(), block.fragment(row), block.fragmentEnd(row), path()).readAll();
    }
    return lastKeys[index];
  }

  /// Reads a block of rows, and compares it with the index.
  ///
  /// @param kept whether the next reader may want it too
  private void load(BlockExpander reader, int block, boolean kept) {
    BlockRows into = reader.rows();
    if (kept) {
      reader.readKeptRows(start(block), end(block));
    } else {
      reader.readRows(start(block), end(block));
    }
    int last = into.count() - 1;
    byte[] key = lastKeys[block];
    if (Keys.compare(
            into.keyMemory(),
            into.keyStart(last),
            into.keyBytes(last),
            MemorySegment.ofArray(key),
            0,
            key.length)
        != 0) {
      reader.clear();
      throw corrupt(start(block), "its last key is not the one that the index has");
    }
  }

  private BlockExpander expander() {
    BlockExpander kept = idle.getAndSet(null);
    return kept == null ? new BlockExpander(file, store, id, cache) : kept;
  }

  private void letGo(BlockExpander reader) {
    if (reader.bytes().length > IDLE_BYTES_MAX || !idle.compareAndSet(null, reader)) {
      reader.close();
    }
  }

  /// The first block whose last key is not before a key.
  private int blockOf(MemorySegment key, int keyBytes) {
    int low = 0;
    int high = blocks();
    while (low < high) {
      int middle = (low + high) >>> 1;
      byte[] last = lastKeys[middle];
      if (Keys.compare(MemorySegment.ofArray(last), 0, last.length, key, 0, keyBytes) < 0) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }

  /// Rows of a range.
  private final class Rows extends Fragments {
    private final KeyRange range;
    private final boolean descending;
    private final Set<Integer> damaged; // blocks
    private final boolean ofPartition; // of one at most
    private final BlockExpander reader = expander();
    private final BlockRows block = reader.rows();
    private int blockNow = -1;
    private int row;
    private boolean ended;
    private boolean closed;

    Rows(KeyRange range, boolean descending, Set<Integer> damaged) {
      this.range = range;
      this.ofPartition = range.common() >= TableFileFormat.FILTER_KEY_BYTES;
      this.damaged = damaged;
      this.descending = descending;
    }

    @Override
    boolean next() {
      if (ended) {
        return false;
      }
      if (blockNow < 0) {
        begin();
      } else {
        row += descending ? -1 : 1;
      }
      if (!ended && !moveToBlock()) {
        ended = true;
      }
      if (ended) {
        return false;
      }
      memory = block.keyMemory();
      keyAt = block.keyStart(row);
      keyBytes = block.keyBytes(row);
      partition = block.partition(row);
      ended =
          descending
              ? !range.isFromStart(memory, keyAt, keyBytes)
              : !range.isBeforeEnd(memory, keyAt, keyBytes);
      return !ended;
    }

    private void begin() {
      MemorySegment bound = descending ? range.until() : range.from();
      int boundBytes = descending ? range.untilBytes() : range.fromBytes();
      int at = blockOf(bound, boundBytes);
      if (at == blocks()) {
        if (!descending || at == 0) {
          ended = true;
          return;
        }
        at--;
      }
      blockNow = at;
      load();
      row = block.before(bound, boundBytes) - (descending ? 1 : 0);
    }

    private void load() {
      if (damaged.contains(blockNow)) {
        reader.clear();
      } else if (!reader.hasRead(start(blockNow))) {
        TableFile.this.load(reader, blockNow, ofPartition);
      }
    }

    /// Loads the next block when the present one has no more rows; false when there is none.
    private boolean moveToBlock() {
      while (row < 0 || row >= block.count()) {
        blockNow += descending ? -1 : 1;
        if (blockNow < 0 || blockNow >= blocks()) {
          return false;
        }
        load();
        row = descending ? block.count() - 1 : 0;
      }
      return true;
    }

    @Override
    void addTo(RowMerge merge) {
      merge.add(block.raw(), block.fragment(row), block.fragmentEnd(row), path());
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        letGo(reader);
      }
    }
  }

  @Override
  public void close() {
    BlockExpander kept = idle.getAndSet(null);
    if (kept != null) {
      kept.close();
    }
    file.close();
  }
}
