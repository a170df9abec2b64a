package io.widerow.cql.engine;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableDriver;
import io.widerow.cql.store.TableModel;
import io.widerow.cql.store.TableStore;
import io.widerow.cql.store.TableView;
import io.widerow.faults.SimDisk;
import io.widerow.faults.TestClock;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// The rules of merging one by one, as Cassandra has them, on the model and on the store: in memory
/// and after a flush.
class TableRulesTest {
  private static final int PARTITION = 13;
  private static final long NOW = 1_000;

  private final EmbeddedStore embedded =
      SimStore.open(
          new SimDisk(1),
          new TestClock(1_700_000_000_000_000_000L),
          new SplittableRandom(1),
          Runnable::run);

  /// Where the rules hold.
  enum Where {
    MODEL,
    MEMORY,
    FILE,
    TWO_FILES
  }

  static Stream<Where> places() {
    return Stream.of(Where.values());
  }

  @AfterEach
  void close() {
    embedded.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  /// Key of a row: partition, kind, and what it adds.
  private static byte[] row(String text) {
    byte[] key = new byte[PARTITION + 1 + text.length()];
    key[0] = 1;
    key[PARTITION] = 1;
    System.arraycopy(bytes(text), 0, key, PARTITION + 1, text.length());
    return key;
  }

  private static byte[] header() {
    byte[] key = new byte[PARTITION + 1];
    key[0] = 1;
    return key;
  }

  /// The cells that remain after some writes, each flushed or not.
  @SafeVarargs
  private List<String> left(Where where, Consumer<Mutations>... writes) {
    TableStore tables =
        where == Where.MODEL ? new TableModel() : embedded.extension(TableEngine.class);
    for (Consumer<Mutations> write : writes) {
      tables.write((_, out) -> TablesModelTest.run(write, out)).join();
      if (where == Where.TWO_FILES) {
        embedded.extension(TableEngine.class).flush();
      }
    }
    if (where == Where.FILE) {
      embedded.extension(TableEngine.class).flush();
    }
    try (TableView view = tables.view()) {
      return TableDriver.readAll(view, NOW).stream().map(TableRulesTest::shown).toList();
    }
  }

  /// The line of a row without its partition.
  private static String shown(String line) {
    return line.substring(2 * PARTITION);
  }

  private static Consumer<Mutations> put(String value, long timestamp) {
    return out ->
        out.row(row("a"), PARTITION).cell(7, null, bytes(value), timestamp, 0, Long.MAX_VALUE);
  }

  private static String cell(String hex, long timestamp) {
    return "0161 | 7 -=%s at %d ttl 0 to %d".formatted(hex, timestamp, Long.MAX_VALUE);
  }

  @ParameterizedTest
  @MethodSource("places")
  void theLaterTimestampWins(Where where) {
    assertEquals(List.of(cell("78", 20)), left(where, put("x", 20), put("y", 10)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void theGreaterValueWinsAtOneTime(Where where) {
    assertEquals(List.of(cell("62", 10)), left(where, put("az", 10), put("b", 10), put("abc", 10)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aTombstoneWinsAtOneTime(Where where) {
    assertEquals(
        List.of(),
        left(where, put("x", 10), out -> out.row(row("a"), PARTITION).deleteCell(7, null, 10)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aCellThatExpiresWinsAtOneTimeAndHidesWhenItHas(Where where) {
    assertEquals(
        List.of(),
        left(
            where,
            put("z", 10),
            out -> out.row(row("a"), PARTITION).cell(7, null, bytes("a"), 10, 5, NOW)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aDeletionHidesWhatIsNotYounger(Where where) {
    Consumer<Mutations> delete = out -> out.row(row("a"), PARTITION).deleteRow(1_050);
    assertEquals(List.of(), left(where, put("x", 1_050), delete));
    assertEquals(List.of(cell("79", 1_051)), left(where, delete, put("y", 1_051)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void anInsertedRowStaysWithoutCells(Where where) {
    assertEquals(
        List.of("0161 live"),
        left(
            where,
            out -> out.row(row("a"), PARTITION).live(10, 0, 0),
            put("x", 10),
            out -> out.row(row("a"), PARTITION).deleteCell(7, null, 11)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aRangeHidesTheRowsInItOnly(Where where) {
    assertEquals(
        List.of("0161 live", "0163 live"),
        left(
            where,
            out -> {
              for (String each : List.of("a", "b", "ba", "c")) {
                out.row(row(each), PARTITION).live(10, 0, 0);
              }
            },
            out -> out.row(header(), PARTITION).deleteRange(row("b"), row("c"), 10)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aPartitionIsDeletedWithItsStaticCells(Where where) {
    assertEquals(
        List.of(),
        left(
            where,
            put("x", 10),
            out -> out.row(header(), PARTITION).cell(3, null, bytes("s"), 10, 0, 0),
            out -> out.row(header(), PARTITION).deletePartition(10)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aCollectionIsReplaced(Where where) {
    assertEquals(
        List.of("0161 | 7 63=32 at 11 ttl 0 to " + Long.MAX_VALUE),
        left(
            where,
            out -> out.row(row("a"), PARTITION).cell(7, bytes("b"), bytes("1"), 10, 0, 0),
            out ->
                out.row(row("a"), PARTITION)
                    .deleteCells(7, 10)
                    .cell(7, bytes("c"), bytes("2"), 11, 0, 0)));
  }

  @ParameterizedTest
  @MethodSource("places")
  void aWriteThatThrowsChangesNothing(Where where) {
    TableStore tables =
        where == Where.MODEL ? new TableModel() : embedded.extension(TableEngine.class);
    CompletableFuture<Boolean> refused =
        tables.write((_, out) -> {
          out.row(row("a"), PARTITION).live(10, 0, 0);
          throw new IllegalArgumentException("no");
        });
    var failure = assertThrows(CompletionException.class, refused::join);
    assertTrue(failure.toString().endsWith("IllegalArgumentException: no"), failure::toString);
    try (TableView view = tables.view()) {
      assertEquals(List.of(), TableDriver.readAll(view, NOW));
    }
  }

  @ParameterizedTest
  @MethodSource("places")
  void aWriteSeesWhatCameBefore(Where where) {
    TableStore tables =
        where == Where.MODEL ? new TableModel() : embedded.extension(TableEngine.class);
    tables.write((_, out) -> TablesModelTest.run(put("x", 10), out)).join();
    List<String> before =
        tables
            .write((view, out) -> {
              out.row(row("b"), PARTITION).live(10, 0, 0);
              return TableDriver.readAll(view, NOW);
            })
            .join();
    assertEquals(1, before.size());
    assertTrue(before.getFirst().endsWith(cell("78", 10)), before::toString);
  }

  @ParameterizedTest
  @MethodSource("places")
  void onlyAHeaderDeletesOtherRows(Where where) {
    TableStore tables =
        where == Where.MODEL ? new TableModel() : embedded.extension(TableEngine.class);
    var refused =
        tables.write((_, out) -> {
          out.row(row("a"), PARTITION).deletePartition(10);
          return 1;
        });
    var failure = assertThrows(CompletionException.class, refused::join);
    assertTrue(failure.getCause() instanceof IllegalArgumentException, failure::toString);
  }
}
