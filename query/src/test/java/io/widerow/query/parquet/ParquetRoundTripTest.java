package io.widerow.query.parquet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.LineEvent;
import io.widerow.questions.HostileEvents;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a Parquet file has all of its events, for our reader and for DuckDB, and a file that was
/// cut, damaged or made by another program is refused. Method: events with every kind of value,
/// read back; DuckDB, which shares no code with our library, counts and adds up the same file;
/// bytes are changed at random.
class ParquetRoundTripTest {
  private static final int EVENTS = 4_000;

  /// The end of an event whose only attribute is the body `both`, CR, LF.
  private static final String BOTH = " body=STRING:626f74680d0a";

  @TempDir Path directory;

  private Path write(List<LineEvent> events) throws IOException {
    Path file = directory.resolve("events.parquet");
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (ParquetWriter writer = new ParquetWriter()) {
      writer.begin(out);
      events.forEach(event -> writer.event(event, out));
      writer.end(events.isEmpty() ? null : Token.of(events.getLast()), out);
    }
    Files.write(file, Arrays.copyOf(out.bytes(), out.length()));
    return file;
  }

  private static List<String> read(Path file) throws IOException {
    List<String> texts = new ArrayList<>();
    try (ParquetFile events = ParquetFile.open(file)) {
      for (EventView event = events.next(); event != null; event = events.next()) {
        texts.add(HostileEvents.text(event));
      }
    }
    return texts;
  }

  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3})
  void aFileHasAllOfItsEvents(long seed) throws IOException {
    List<LineEvent> events = HostileEvents.of(seed, EVENTS);
    assertEquals(events.stream().map(HostileEvents::text).toList(), read(write(events)));
  }

  @Test
  void aFileWithoutEventsIsAFile() throws IOException, SQLException {
    Path file = write(List.of());
    assertEquals(List.of(), read(file));
    assertEquals("0", duck("select count(*) from '%s'".formatted(file)));
  }

  @Test
  void duckDbReadsTheSameEvents() throws IOException, SQLException {
    List<LineEvent> events = HostileEvents.of(7, EVENTS);
    Path file = write(events);
    assertEquals(
        "" + events.size() + "|" + events.stream().filter(e -> e.type().equals("app")).count(),
        duck("select count(*), count(*) filter (type = 'app') from '%s'".formatted(file)));
    assertEquals(
        events.getFirst().id() + "|" + events.getLast().id(),
        duck("select first(id), last(id) from '%s'".formatted(file)));
    assertEquals(
        events.stream()
            .map(event -> BigInteger.valueOf(event.timeNanos()))
            .reduce(BigInteger.ZERO, BigInteger::add)
            .toString(),
        duck("select sum(ts_nanos) from '%s'".formatted(file)));
    assertEquals(
        "true", duck("select bool_and(epoch_us(ts) = ts_nanos // 1000) from '%s'".formatted(file)));
    assertEquals(
        "VARCHAR, TIMESTAMP WITH TIME ZONE, BIGINT, VARCHAR, VARCHAR, MAP(VARCHAR, VARCHAR),"
            + " MAP(VARCHAR, DOUBLE), MAP(VARCHAR, VARCHAR)",
        duck(
            "select string_agg(column_type, ', ') from (describe select * from '%s')"
                .formatted(file)));
    assertEquals(
        "9223372036854775807|long|9.223372036854776E18",
        duck(
            ("select attributes['field'], kinds['field'], numbers['field'] from '%s' where"
                    + " attributes['field'] = '9223372036854775807'")
                .formatted(file)));
    assertEquals(
        "" + events.stream().filter(ParquetRoundTripTest::isBoth).count(),
        duck(
            "select count(*) from '%s' where body = 'both' || chr(13) || chr(10) and"
                    .formatted(file)
                + " len(map_keys(attributes)) = 0"));
  }

  private static boolean isBoth(EventView event) {
    return HostileEvents.text(event).endsWith(event.type() + BOTH);
  }

  private static String duck(String question) throws SQLException {
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement();
        ResultSet rows = statement.executeQuery(question)) {
      assertTrue(rows.next(), question);
      List<String> cells = new ArrayList<>();
      for (int i = 1; i <= rows.getMetaData().getColumnCount(); i++) {
        cells.add(String.valueOf(rows.getObject(i)));
      }
      return String.join("|", cells);
    }
  }

  @Test
  void fileOfAnotherProgramIsRefused() throws SQLException {
    Path file = directory.resolve("other.parquet");
    try (Connection duck = DriverManager.getConnection("jdbc:duckdb:");
        Statement statement = duck.createStatement()) {
      statement.execute("copy (select 1 as a, 'x' as b) to '%s' (format parquet)".formatted(file));
    }
    var refused = assertThrows(QueryException.Refused.class, () -> ParquetFile.open(file).close());
    assertEquals(
        "file: %s is no export of widerow: its columns are a, b".formatted(file),
        refused.getMessage());
  }

  @Test
  void cutFileIsRefused() throws IOException {
    Path file = write(HostileEvents.of(5, 100));
    byte[] whole = Files.readAllBytes(file);
    SplittableRandom random = new SplittableRandom(11);
    for (int i = 0; i < 50; i++) {
      Files.write(file, Arrays.copyOf(whole, random.nextInt(whole.length)));
      assertThrows(StorageException.Corrupt.class, () -> read(file));
    }
  }

  /// What a changed byte changes is found, unless it is one that says nothing about the events.
  @Test
  void changedByteIsFoundOrChangesNoEvent() throws IOException {
    List<LineEvent> events = HostileEvents.of(6, 100);
    List<String> texts = events.stream().map(HostileEvents::text).toList();
    Path file = write(events);
    byte[] whole = Files.readAllBytes(file);
    SplittableRandom random = new SplittableRandom(12);
    int found = 0;
    for (int i = 0; i < 300; i++) {
      byte[] changed = whole.clone();
      int at = random.nextInt(changed.length);
      changed[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
      Files.write(file, changed);
      try {
        List<String> read = read(file);
        assertTrue(texts.containsAll(read), "byte " + at);
      } catch (StorageException.Corrupt | QueryException.Refused damaged) {
        found++;
      }
    }
    assertTrue(found > 200, "found " + found);
  }
}
