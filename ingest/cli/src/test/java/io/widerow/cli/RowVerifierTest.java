package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.Asking;
import io.widerow.cql.TableServer;
import io.widerow.cql.define.UserTables;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Table;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableStore;
import io.widerow.storage.Damage;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import io.widerow.storage.repair.StoreVerifier.Verification;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: `verify` names each row of a table that the schema cannot read, and none that it can.
/// Method: rows of every type that statements write, and faults that no statement writes, which are
/// written around them.
class RowVerifierTest {
  private static final long MICROS = 1_800_000_000_000_000L;

  @TempDir private Path directory = Path.of(".");

  /// Where a fault is written: the row of a table. Never compared.
  @SuppressWarnings("ArrayRecordComponent")
  private record Place(Table table, byte[] partition, byte[] key) {
    void row(Mutations out, byte[] written) {
      var _ = out.row(written, partition.length).live(MICROS, 0, Long.MAX_VALUE);
    }

    void cell(Mutations out, String column, byte @Nullable [] path, int... value) {
      byte[] bytes = new byte[value.length];
      for (int i = 0; i < value.length; i++) {
        bytes[i] = (byte) value[i];
      }
      int number = table.columns().get(table.find(column)).number();
      var _ = out.row(key, partition.length).cell(number, path, bytes, MICROS, 0, Long.MAX_VALUE);
    }
  }

  /// The faults of a row.
  @SuppressWarnings("ImmutableEnumChecker") // the functions have no state
  enum Fault {
    PREFIX(
        "the key cannot be read",
        (place, out) ->
            place.row(out, TableKeys.of(place.table).prefix(place.partition, List.of(1)))),
    MORE(
        "the key is not the one that its values have",
        (place, out) -> place.row(out, Arrays.copyOf(place.key, place.key.length + 1))),
    TOKEN(
        "the key is not the one that its values have",
        (place, out) -> {
          byte[] other = place.key.clone();
          other[Integer.BYTES] ^= 1;
          place.row(out, other);
        }),
    SHORT_VALUE("column v cannot be read", (place, out) -> place.cell(out, "v", null, 1, 2)),
    LONG_VALUE(
        "column v cannot be read", (place, out) -> place.cell(out, "v", null, 1, 2, 3, 4, 5)),
    PATH(
        "column v: a path in a column of one value",
        (place, out) -> place.cell(out, "v", new byte[1], 0, 0, 0, 1)),
    NO_PATH(
        "column l: no path in a column of many cells",
        (place, out) -> place.cell(out, "l", null, 0, 0, 0, 1)),
    PLACE(
        "column l: a list position of another length",
        (place, out) -> place.cell(out, "l", new byte[3], 0, 0, 0, 1)),
    ELEMENT(
        "column e: an element with a value",
        (place, out) -> place.cell(out, "e", new byte[4], 0, 0, 0, 1)),
    MAP_KEY(
        "column m cannot be read", (place, out) -> place.cell(out, "m", new byte[3], 0, 0, 0, 1)),
    MAP_VALUE("column m cannot be read", (place, out) -> place.cell(out, "m", new byte[4], 1, 2)),
    FIELD(
        "column u: a field that pair has not",
        (place, out) -> place.cell(out, "u", new byte[] {0, 9}, 0, 0, 0, 1)),
    TEXT("column x cannot be read", (place, out) -> place.cell(out, "x", null, 0xff)),
    FROZEN("column f cannot be read", (place, out) -> place.cell(out, "f", null, 0, 0, 0, 3)),
    KIND(
        "column s: a cell in a row of another kind",
        (place, out) -> place.cell(out, "s", null, 0, 0, 0, 1));

    private final String found;
    private final BiConsumer<Place, Mutations> write;

    Fault(String found, BiConsumer<Place, Mutations> write) {
      this.found = found;
      this.write = write;
    }
  }

  private Path store() {
    return directory.resolve("store");
  }

  private EmbeddedStore open() {
    return EmbeddedStore.open(
        StoreConfig.at(store()).withJournal(8 << 20, 64 << 20), Runnable::run);
  }

  /// Writes whole rows, and a view of them.
  private static UserTables fill(EmbeddedStore store) {
    InstantSource clock = InstantSource.system();
    Asking asking = new TableServer(() -> store.extension(TableStore.class), clock).asking("k");
    for (String statement :
        List.of(
            "CREATE KEYSPACE k WITH replication = {'class': 'SimpleStrategy'}",
            "CREATE TYPE pair (x int, y int)",
            "CREATE TABLE t (p int, c int, d text, s int static, v int, x text, l list<int>,"
                + " e set<int>, m map<int, int>, u pair, f frozen<list<int>>,"
                + " PRIMARY KEY (p, c, d)) WITH CLUSTERING ORDER BY (c DESC, d ASC)",
            "CREATE TABLE gone (p int PRIMARY KEY, v int, w int)",
            "CREATE TABLE n (p decimal, c frozen<map<text, double>>, t tuple<int, text>, v counter,"
                + " PRIMARY KEY (p, c, t))",
            "CREATE MATERIALIZED VIEW w AS SELECT * FROM gone WHERE v IS NOT NULL"
                + " AND p IS NOT NULL PRIMARY KEY (v, p)",
            "CREATE INDEX by_w ON gone (w)",
            "INSERT INTO t (p, c, d, s, v, x, l, e, m, u, f) VALUES (1, 1, 'a', 1, 1, '', [1, 2],"
                + " {1, 2}, {1: 1}, {x: 1}, [])",
            "UPDATE t SET l = [0] + l, e = e - {1}, u.y = null WHERE p = 1 AND c = 1 AND d = 'a'",
            "INSERT INTO t (p, s) VALUES (2, 2)",
            "INSERT INTO t (p, c, d, v) VALUES (3, 3, '', blobAsInt(0x)) USING TTL 1",
            "DELETE FROM t WHERE p = 3 AND c = 3",
            "INSERT INTO gone (p, v, w) VALUES (1, 2, 3)",
            "UPDATE n SET v = v + 1 WHERE p = 1.00 AND c = {'a': NaN} AND t = (null, 'b')")) {
      asking.run(statement);
    }
    return new UserTables(store.extension(TableStore.class), clock);
  }

  private Place plant(EmbeddedStore store, UserTables tables, Fault fault) {
    Table table = Objects.requireNonNull(tables.schema().keyspace("k").find("t"));
    TableKeys keys = TableKeys.of(table);
    byte[] partition = keys.partition(List.of(1));
    var place = new Place(table, partition, keys.row(partition, List.of(1, "a")));
    boolean _ =
        store
            .extension(TableStore.class)
            .<Boolean>write((_, out) -> {
              fault.write.accept(place, out);
              return true;
            })
            .join();
    return place;
  }

  @Test
  void rowsThatCanBeRead() {
    try (EmbeddedStore store = open()) {
      var _ = fill(store);
    }
    Verification found = RowVerifier.verify(store());
    assertEquals(List.of(), found.damage());
    assertTrue(
        found.remarks().contains("6 rows of tables with a readable schema were read"),
        found.remarks().toString());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void faultsAreNamed(Fault fault) {
    try (EmbeddedStore store = open()) {
      var _ = plant(store, fill(store), fault);
    }
    Verification found = RowVerifier.verify(store());
    assertEquals(
        List.of(Damage.Kind.ROW), found.damage().stream().map(Damage::kind).toList(), fault.name());
    String sentence = found.damage().getFirst().found();
    assertTrue(sentence.startsWith("k.t: row with the key "), sentence);
    assertTrue(sentence.contains(fault.found), sentence);
    Damage row = found.damage().getFirst();
    assertEquals(row.place() + ": cannot be read: " + sentence, row.sentence());
  }

  @Test
  void entriesOfIndexesAreCompared() {
    try (EmbeddedStore store = open()) {
      Table table = Objects.requireNonNull(fill(store).schema().keyspace("k").find("gone"));
      TableKeys keys = TableKeys.of(table);
      byte[] partition = keys.partition(List.of(1));
      var place = new Place(table, partition, keys.row(partition, List.of()));
      boolean _ =
          store
              .extension(TableStore.class)
              .<Boolean>write((_, out) -> { // as no statement does: without the index
                place.cell(out, "w", null, 0, 0, 0, 9);
                return true;
              })
              .join();
    }
    Verification found = RowVerifier.verify(store());
    List<String> sentences = found.damage().stream().map(Damage::found).toList();
    assertEquals(2, sentences.size(), sentences.toString());
    assertTrue(
        sentences.getFirst().startsWith("k.gone: index by_w: row with the key "),
        sentences.toString());
    assertTrue(sentences.getFirst().endsWith(" has no entry"), sentences.toString());
    assertTrue(
        sentences.getLast().endsWith(" has an entry, and not its value"), sentences.toString());
    assertTrue(
        found.remarks().contains("1 entries of indexes were compared with rows"),
        found.remarks().toString());
  }

  @Test
  void theCommandNamesThem() {
    try (EmbeddedStore store = open()) {
      var _ = plant(store, fill(store), Fault.PREFIX);
    }
    CommandDaemon.Ran ran =
        CommandDaemon.run(Map.of(), "check verify", "--data", store().toString());
    assertEquals(1, ran.code());
    String told = ran.out();
    assertTrue(told.contains("k.t: row with the key "), told);
  }
}
