package io.widerow.cql.engine;

import io.widerow.cql.fragment.FragmentReader;
import io.widerow.cql.fragment.Keys;
import io.widerow.cql.fragment.RowMerge;
import io.widerow.cql.store.FileReads;
import io.widerow.cql.tablestats.TableFilter;
import io.widerow.cql.tablestats.TableOrigin;
import io.widerow.cql.tablestats.Widths;
import io.widerow.storage.StorageException;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.disk.BlockCache;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
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
  private final BlockIndex index;
  private final TableFilter filter;
  private final Facts facts;
  private final TableFileFormat.@Nullable Foot foot; // null for a salvaged file
  private final AtomicReference<@Nullable BlockExpander> idle = new AtomicReference<>();

  /// The part of the file with numbers about its rows.
  ///
  /// @param hiding rows that hide others
  private record Facts(long rows, long hiding, TableOrigin origin) {
    static final Facts NONE = new Facts(0, 0, new TableOrigin(0, 0, 0, List.of()));
  }

  /// Opens a whole file.
  private TableFile(DiskFile file, UUID store, long id, BlockCache cache) {
    this.file = file;
    this.store = store;
    this.id = id;
    this.cache = cache;
    TableFileFormat.Foot parts = TableFileFormat.readFoot(file, store, id);
    this.index = BlockIndex.read(block(parts.indexAt(), parts.filterAt()), parts.indexAt());
    this.filter = filter(block(parts.filterAt(), parts.factsAt()));
    this.facts = facts(block(parts.factsAt(), parts.widthsAt()), parts.factsAt());
    this.foot = parts;
  }

  /// Opens the blocks that can be found in a damaged file.
  private TableFile(DiskFile file, UUID store, long id, BlockIndex found) {
    this.file = file;
    this.store = store;
    this.id = id;
    this.cache = BlockCache.none();
    this.index = found;
    this.filter = TableFilter.of(new long[0]);
    this.facts = Facts.NONE;
    this.foot = null;
  }

  /// @throws StorageException.Corrupt when it is not a whole file of this store and id
  static TableFile open(Disk disk, Path path, UUID store, long id, BlockCache cache) {
    DiskFile file = disk.open(path);
    try {
      return new TableFile(file, store, id, cache);
    } catch (Throwable failure) {
      file.close();
      throw failure;
    }
  }

  /// The same, of a file whose blocks are not cached.
  static TableFile open(Disk disk, Path path, UUID store, long id) {
    return open(disk, path, store, id, BlockCache.none());
  }

  /// Opens a file whose index or foot cannot be read, with the blocks that [BlockIndex#salvage]
  /// finds.
  ///
  /// @param file belongs to the result
  static TableFile salvage(DiskFile file, UUID store, long id) {
    try (var reader = new BlockExpander(file, store, id, BlockCache.none())) {
      return new TableFile(file, store, id, BlockIndex.salvage(file, reader));
    }
  }

  private StorageException.Corrupt corrupt(long offset, String found) {
    return new StorageException.Corrupt(file.path(), offset, found);
  }

  /// A block, checked and expanded.
  private ByteSource block(long from, long until) {
    try (var reader = new BlockExpander(file, store, id, cache)) {
      int length = reader.expand(from, until);
      return new ByteSource(file.path()).over(reader.bytes(), 0, length, from);
    }
  }

  private static TableFilter filter(ByteSource in) {
    if (in.left() % Long.BYTES != 0) {
      throw in.corrupt("a filter of %d bytes".formatted(in.left()));
    }
    long[] words = new long[in.left() / Long.BYTES];
    for (int i = 0; i < words.length; i++) {
      words[i] = in.readLong();
    }
    return TableFilter.of(words);
  }

  private Facts facts(ByteSource in, long factsAt) {
    long rows = in.readVarint();
    long hiding = in.readVarint();
    if (rows < 1 || hiding < 0 || hiding > rows) {
      throw corrupt(factsAt, "%d of %d rows hide others".formatted(hiding, rows));
    }
    return new Facts(rows, hiding, TableOrigin.of(in));
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
    return facts.rows;
  }

  TableOrigin origin() {
    return facts.origin;
  }

  /// True when it may have deletions of partitions or ranges.
  boolean hidesRows() {
    return facts.hiding > 0;
  }

  int blocks() {
    return index.count();
  }

  /// False when it surely has no key of a range.
  boolean mayHave(KeyRange range) {
    return index.meets(range)
        && (range.common() < TableFileFormat.FILTER_KEY_BYTES
            || filter.mayHave(TableFileFormat.hash(range.fromArray())));
  }

  /// Bytes of the blocks that have nothing but forgotten keys.
  long bytesOf(ObsoleteKeys forgotten) {
    long bytes = 0;
    for (int block = 0; block < blocks(); block++) {
      if (forgotten.holdsAll(index.keyBefore(block), index.lastKey(block))) {
        bytes += index.bytes(block);
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
      for (int i = index.find(range.from(), range.fromBytes()); goesOn && i < blocks(); i++) {
        byte[] first = index.keyBefore(i);
        byte[] last = index.lastKey(i);
        goesOn = range.isBeforeEnd(MemorySegment.ofArray(last), 0, last.length);
        boolean isWhole =
            goesOn && range.isFromStart(MemorySegment.ofArray(first), 0, first.length);
        long stored = index.bytes(i);
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
    return fragments(range, descending, new FileReads());
  }

  /// The same.
  ///
  /// @param reads counts the blocks that are read
  Fragments fragments(KeyRange range, boolean descending, FileReads reads) {
    return new Rows(range, descending, Set.of(), reads);
  }

  /// All of its rows but those of damaged blocks.
  Fragments fragmentsWithout(Set<Integer> damaged) {
    return new Rows(KeyRange.ALL, false, damaged, new FileReads());
  }

  /// Reads every byte that has a checksum, and every fragment.
  ///
  /// @param damaged takes blocks that cannot be read
  void verify(BiConsumer<Integer, StorageException.Corrupt> damaged) {
    try (var reader = new BlockExpander(file, store, id, cache)) {
      BlockRows block = reader.rows();
      var fragment = new FragmentReader();
      for (int i = 0; i < blocks(); i++) {
        try {
          load(reader, i, false);
          check(block, fragment, i);
        } catch (StorageException.Corrupt corrupt) {
          damaged.accept(i, corrupt);
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

  private void check(BlockRows block, FragmentReader reader, int number) {
    byte[] before = index.keyBefore(number);
    int first =
        Keys.compare(
            block.keyMemory(),
            0,
            block.keyBytes(0),
            MemorySegment.ofArray(before),
            0,
            before.length);
    if (number == 0 ? first != 0 : first <= 0) {
      throw corrupt(index.start(number), "its first key is not where the index has it");
    }
    for (int row = 0; row < block.count(); row++) {
      reader.over(block.raw(), block.fragment(row), block.fragmentEnd(row), path()).readAll();
    }
  }

  /// Reads a block of rows, and compares it with the index.
  ///
  /// @param kept whether the next reader may want it too
  private void load(BlockExpander reader, int block, boolean kept) {
    BlockRows into = reader.rows();
    if (kept) {
      reader.readKeptRows(index.start(block), index.end(block));
    } else {
      reader.readRows(index.start(block), index.end(block));
    }
    int last = into.count() - 1;
    byte[] key = index.lastKey(block);
    if (Keys.compare(
            into.keyMemory(),
            into.keyStart(last),
            into.keyBytes(last),
            MemorySegment.ofArray(key),
            0,
            key.length)
        != 0) {
      reader.clear();
      throw corrupt(index.start(block), "its last key is not the one that the index has");
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

  /// Rows of a range.
  private final class Rows extends Fragments {
    private final KeyRange range;
    private final boolean descending;
    private final Set<Integer> damaged; // blocks
    private final boolean ofPartition; // of one at most
    private final FileReads reads;
    private final BlockExpander reader = expander();
    private final BlockRows block = reader.rows();
    private int blockNow = -1;
    private int row;
    private boolean ended;
    private boolean closed;

    Rows(KeyRange range, boolean descending, Set<Integer> damaged, FileReads reads) {
      this.reads = reads;
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
      int at = index.find(bound, boundBytes);
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
      } else if (!reader.hasRead(index.start(blockNow))) {
        TableFile.this.load(reader, blockNow, ofPartition);
        reads.add(index.bytes(blockNow));
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
