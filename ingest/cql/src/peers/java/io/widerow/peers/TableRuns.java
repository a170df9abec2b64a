package io.widerow.peers;

import io.widerow.cql.engine.TableEngine;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.storage.Durability;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import org.rocksdb.BlockBasedTableConfig;
import org.rocksdb.BloomFilter;
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

/// Benchmark of the store of tables against RocksDB on the same keys and values, in the order A B B
/// A in one process: groups of 1 and of 1,000 rows, not forced; groups of 1 that are forced;
/// points, slices of 100 rows and a scan of all. Rows are 200 bytes of words; a partition has 100
/// of them, and rows arrive in random order of partitions. The calling thread writes in both, and
/// two threads flush and merge. RocksDB keeps keys and values; ours keeps a time for each cell and
/// merges cells. See the profile `peers`.
///
/// ```
/// TableRuns <rows> <rounds> [widerow,rocksdb]      one round is A B B A; of one store A A
/// ```
final class TableRuns {
  private static final int GROUP_ROWS = 1_000;
  private static final int PARTITION_ROWS = 100;
  private static final int VALUE_BYTES = 200;
  private static final int READS = 20_000;
  private static final int FORCED = 500;
  private static final int ONES_PART = 5; // a fifth of the rows is written one by one
  private static final int PREFIX_BYTES = 21; // of a key: table, token, partition, end
  private static final int KEY_BYTES = PREFIX_BYTES + 10;
  private static final long SEED = 20_261_126;
  private static final byte[][] WORDS = words();
  private static final String[] STORES = {"widerow", "rocksdb"};

  /// A store of rows.
  private interface Peer extends AutoCloseable {
    /// Writes rows as one group.
    void write(byte[][] keys, byte[][] values, int count, boolean forced) throws RocksDBException;

    void rest() throws RocksDBException, InterruptedException;

    /// @return rows of a range, and the sum of the bytes of their values
    long[] read(byte[] from, byte[] until);

    @Override
    void close();
  }

  private static final class Ours implements Peer {
    private final ExecutorService background = Executors.newFixedThreadPool(2);
    private final EmbeddedStore store;
    private final TableEngine tables;

    Ours(Path directory) {
      store =
          EmbeddedStore.open(
              StoreConfig.at(directory.resolve("store")).withDiskReserveBytes(0), background);
      tables = store.extension(TableEngine.class);
      tables.writeOn(Runnable::run);
    }

    @Override
    public void write(byte[][] keys, byte[][] values, int count, boolean forced) {
      tables.acknowledge(forced ? Durability.DISK : Durability.OS);
      boolean _ =
          tables
              .write((_, out) -> {
                for (int i = 0; i < count; i++) {
                  out.row(keys[i], PREFIX_BYTES).live(1, 0, 0).cell(1, null, values[i], 1, 0, 0);
                }
                return true;
              })
              .join();
    }

    @Override
    public void rest() throws InterruptedException {
      tables.flush();
      store.awaitBackground();
      tables.mergeAll();
    }

    @Override
    public long[] read(byte[] from, byte[] until) {
      long rows = 0;
      long bytes = 0;
      try (TableView view = tables.view();
          TableCursor cursor = view.scan(from, until, false, 0)) {
        while (cursor.next()) {
          rows++;
          while (cursor.nextCell()) {
            bytes += cursor.value().remaining();
          }
        }
      }
      return new long[] {rows, bytes};
    }

    @Override
    public void close() {
      store.close();
      background.shutdown();
    }
  }

  private static final class Rocks implements Peer {
    private static final int READ_AHEAD_BYTES = 2 << 20;

    static {
      RocksDB.loadLibrary();
    }

    private final LRUCache cache = new LRUCache(64 << 20);
    private final BloomFilter filter = new BloomFilter(10);
    private final Options options;
    private final WriteBatch writes = new WriteBatch(1 << 16);
    private final RocksDB db;
    private final ByteBuffer value = ByteBuffer.allocateDirect(VALUE_BYTES + 32);

    Rocks(Path directory) {
      options =
          new Options()
              .setCreateIfMissing(true)
              .setWriteBufferSize(64 << 20)
              .setMaxWriteBufferNumber(3)
              .setMaxBackgroundJobs(2)
              .setCompressionType(CompressionType.ZSTD_COMPRESSION)
              .setBottommostCompressionType(CompressionType.ZSTD_COMPRESSION)
              .setTableFormatConfig(
                  new BlockBasedTableConfig()
                      .setBlockSize(16 << 10)
                      .setBlockCache(cache)
                      .setFilterPolicy(filter));
      try {
        db = RocksDB.open(options, directory.toString());
      } catch (RocksDBException failure) {
        throw new IllegalStateException(failure);
      }
    }

    @Override
    public void write(byte[][] keys, byte[][] values, int count, boolean forced)
        throws RocksDBException {
      writes.clear();
      for (int i = 0; i < count; i++) {
        writes.put(keys[i], values[i]);
      }
      try (var how = new WriteOptions().setSync(forced)) {
        db.write(how, writes);
      }
    }

    @Override
    public void rest() throws RocksDBException {
      try (var wait = new FlushOptions().setWaitForFlush(true)) {
        db.flush(wait);
        db.compactRange();
      }
    }

    @Override
    public long[] read(byte[] from, byte[] until) {
      long rows = 0;
      long bytes = 0;
      boolean all = from.length == 0;
      try (var how = new ReadOptions();
          RocksIterator cursor =
              db.newIterator(
                  all ? how.setReadaheadSize(READ_AHEAD_BYTES).setFillCache(false) : how)) {
        for (cursor.seek(from); cursor.isValid(); cursor.next()) {
          if (!all && Arrays.compareUnsigned(cursor.key(), until) >= 0) {
            break;
          }
          rows++;
          bytes += cursor.value(value.clear());
        }
      }
      return new long[] {rows, bytes};
    }

    @Override
    public void close() {
      db.close();
      writes.close();
      options.close();
      filter.close();
      cache.close();
    }
  }

  private TableRuns() {}

  public static void main(String[] args) throws Exception {
    int rows = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    List<String> stores = List.of(args.length > 2 ? args[2].split(",") : STORES);
    Map<String, List<Map<String, Double>>> runs = new LinkedHashMap<>();
    for (String name : stores) {
      Map<String, Double> _ = run(name, rows / 8); // warms up; not measured
    }
    for (int round = 0; round < rounds; round++) {
      List<String> turns = new ArrayList<>(stores);
      turns.addAll(stores.reversed());
      for (String name : turns) {
        Map<String, Double> run = run(name, rows);
        runs.computeIfAbsent(name, _ -> new ArrayList<>()).add(run);
        System.out.println(name + ": " + shown(run));
      }
    }
    runs.forEach((name, all) -> System.out.println("median of " + name + ": " + median(all)));
  }

  private static String shown(Map<String, Double> run) {
    StringBuilder text = new StringBuilder();
    run.forEach(
        (name, figure) -> text.append(name).append(' ').append(shown(figure)).append("   "));
    return text.toString().stripTrailing();
  }

  private static String shown(double figure) {
    return String.format(Locale.ROOT, "%,.1f", figure);
  }

  private static String median(List<Map<String, Double>> runs) {
    Map<String, Double> middle = new LinkedHashMap<>();
    for (String name : runs.getFirst().keySet()) {
      double[] sorted = runs.stream().mapToDouble(run -> run.get(name)).sorted().toArray();
      middle.put(name, (sorted[(sorted.length - 1) / 2] + sorted[sorted.length / 2]) / 2);
    }
    return shown(middle);
  }

  private static Map<String, Double> run(String name, int rows) throws Exception {
    Path directory = Files.createTempDirectory(Path.of("target"), name);
    Map<String, Double> figures = new LinkedHashMap<>();
    try (Peer peer = name.equals("rocksdb") ? new Rocks(directory) : new Ours(directory)) {
      var source = new Source(rows);
      int ones = rows / ONES_PART;
      int groups = (rows - ones) / GROUP_ROWS;
      long start = System.nanoTime();
      for (int i = 0; i < groups; i++) {
        source.fill(GROUP_ROWS);
        peer.write(source.keys, source.values, GROUP_ROWS, false);
      }
      figures.put(
          "groups of 1,000 rows/s", perSecond((long) groups * GROUP_ROWS, start + source.nanos));
      long making = source.nanos;
      start = System.nanoTime();
      for (int i = 0; i < ones; i++) {
        source.fill(1);
        peer.write(source.keys, source.values, 1, false);
      }
      figures.put("groups of 1 rows/s", perSecond(ones, start + source.nanos - making));
      start = System.nanoTime();
      for (int i = 0; i < FORCED; i++) {
        source.again(1);
        peer.write(source.keys, source.values, 1, true);
      }
      figures.put("forced groups of 1 rows/s", perSecond(FORCED, start));
      start = System.nanoTime();
      peer.rest();
      figures.put("until at rest s", (System.nanoTime() - start) / 1e9);
      read(peer, source, figures);
      figures.put("disk B/row", (double) bytesIn(directory) / source.made);
    } finally {
      delete(directory);
    }
    return figures;
  }

  private static void read(Peer peer, Source source, Map<String, Double> figures) {
    SplittableRandom random = new SplittableRandom(SEED);
    long start = System.nanoTime();
    for (int i = 0; i < READS; i++) {
      byte[] key = source.key(random.nextInt(source.made));
      require(peer.read(key, Arrays.copyOf(key, KEY_BYTES + 1))[0], 1);
    }
    figures.put("points/s", perSecond(READS, start));
    start = System.nanoTime();
    long rows = 0;
    for (int i = 0; i < READS / 10; i++) {
      byte[] from = source.key(random.nextInt(source.made));
      Arrays.fill(from, PREFIX_BYTES, KEY_BYTES, (byte) 0);
      byte[] until = from.clone();
      until[PREFIX_BYTES] = 2;
      rows += peer.read(from, until)[0];
    }
    figures.put("slices, rows/s", perSecond(rows, start));
    start = System.nanoTime();
    long[] all = peer.read(new byte[0], new byte[] {(byte) 0xff});
    figures.put("scan rows/s", perSecond(all[0], start));
    require(all[0], source.made);
    require(all[1], source.bytes);
  }

  private static void require(long found, long wanted) {
    if (found != wanted) {
      throw new IllegalStateException(found + " instead of " + wanted);
    }
  }

  private static double perSecond(long rows, long start) {
    return rows * 1e9 / (System.nanoTime() - start);
  }

  private static byte[][] words() {
    SplittableRandom random = new SplittableRandom(SEED);
    byte[][] words = new byte[4_096][];
    for (int i = 0; i < words.length; i++) {
      String word = Long.toString(random.nextLong(1L << 40), Character.MAX_RADIX) + " ";
      words[i] = word.getBytes(StandardCharsets.US_ASCII);
    }
    return words;
  }

  /// Rows in the order of their arrival. Making them is timed, and taken off.
  private static final class Source {
    private final int partitions;
    private final SplittableRandom random = new SplittableRandom(SEED);
    private final byte[][] keys = new byte[GROUP_ROWS][];
    private final byte[][] values = new byte[GROUP_ROWS][];
    private int made;
    private long bytes;
    private long nanos;

    Source(int rows) {
      partitions = Math.max(1, rows / PARTITION_ROWS);
    }

    void fill(int count) {
      long start = System.nanoTime();
      for (int i = 0; i < count; i++) {
        keys[i] = key(made);
        values[i] = value();
        bytes += values[i].length;
        made++;
      }
      nanos += System.nanoTime() - start;
    }

    /// Rows that are there, as they are.
    void again(int count) {
      made -= count;
      for (int i = 0; i < count; i++) {
        bytes -= values[i].length;
      }
      fill(count);
    }

    /// The n-th row: of each partition one, then of each the next.
    byte[] key(int n) {
      long partition = n % partitions;
      long token = partition * 0x9e3779b97f4a7c15L;
      ByteBuffer key = ByteBuffer.allocate(KEY_BYTES);
      key.putInt(1).putLong(token).putLong(partition).put((byte) 0);
      return key.put((byte) 1).putLong(n / partitions).put((byte) 0).array();
    }

    private byte[] value() {
      ByteBuffer value = ByteBuffer.allocate(VALUE_BYTES);
      while (value.hasRemaining()) {
        byte[] word = WORDS[random.nextInt(WORDS.length)];
        value.put(word, 0, Math.min(word.length, value.remaining()));
      }
      return value.array();
    }
  }

  private static long bytesIn(Path directory) throws IOException {
    Map<String, Long> sizes = new TreeMap<>();
    try (var files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        sizes.put(file.toString(), Files.size(file));
      }
    }
    return sizes.entrySet().stream()
        .filter(file -> file.getKey().endsWith(".tab") || file.getKey().endsWith(".sst"))
        .mapToLong(Map.Entry::getValue)
        .sum();
  }

  private static void delete(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      for (Path path : files.toList().reversed()) {
        Files.delete(path);
      }
    }
  }
}
