package io.widerow.event;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Appends;
import io.widerow.faults.Slice;
import io.widerow.storage.Durability;
import io.widerow.storage.EventCursor;
import io.widerow.storage.Filter;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.Needle;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.IntPredicate;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a text is found in exactly the sealed events that have it, wherever it lies in a line: in
/// constant parts, in variables, in numbers, and across their edges. Method: the real log files,
/// and texts cut out of them at random places, in both directions, compared with the lines
/// themselves.
@Timeout(300)
class TextSearchTest {
  private static final long NANOS = 1_700_000_000_000_000_000L;
  private static final AttributeName HOST = AttributeName.of("host");
  private static final int LINES = 6_000;
  private static final int NEEDLES = Slice.of(30, 150);

  @TempDir private Path directory = Path.of(".");
  private final TreeMap<Long, String> lines = new TreeMap<>(); // by time
  private final List<String> hosts = new ArrayList<>(); // by number; null where there is none
  private EmbeddedStore store;

  @BeforeEach
  void open() {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    store = EmbeddedStore.open(config, Runnable::run);
  }

  @AfterEach
  void close() {
    store.close();
  }

  private void write(String file) throws IOException, InterruptedException {
    List<String> all = Files.readAllLines(Path.of("../loadgen/logs").resolve(file));
    byte[] type = "log".getBytes(UTF_8);
    byte[] host = "host".getBytes(UTF_8);
    try (var batch = new EventBatch(1 << 16, 1 << 24)) {
      for (int i = 0; i < Math.min(LINES, all.size()); i++) {
        long time = NANOS + 1_000_000L * i;
        byte[] body = all.get(i).getBytes(UTF_8);
        batch.begin(type, 0, type.length, time);
        batch.putString("body".getBytes(UTF_8), 0, 4, body);
        String on = i % 3 == 0 ? null : "web-" + i % 17 + (i % 2 == 0 ? ".example" : "");
        if (on != null) {
          byte[] name = on.getBytes(UTF_8);
          batch.putString(host, 0, host.length, name);
        }
        assertNull(batch.end());
        lines.put(time, all.get(i));
        hosts.add(on == null ? "" : on);
      }
      Appends.all(store.lane(0), batch, 0);
    }
    store.lane(0).commit(Durability.OS);
    store.sealAll();
    store.awaitBackground();
  }

  private List<Long> found(Filter filter, boolean descending) {
    List<Long> times = new ArrayList<>();
    try (StoreView view = store.view();
        EventCursor cursor =
            view.open(
                view.partitions(_ -> true, 0, Long.MAX_VALUE / 2).stream()
                    .map(PartitionInfo::key)
                    .toList(),
                Scan.all().withFilter(filter).withDescending(descending))) {
      var value = new AttributeValue();
      while (cursor.next() == EventCursor.Step.EVENT) {
        long time = cursor.event().timeNanos();
        assertTrue(cursor.event().find(AttributeName.BODY, value));
        assertEquals(lines.get(time), value.toString());
        times.add(time);
      }
      assertEquals(lines.size(), cursor.statistics().eventsScanned() + skipped(cursor));
    }
    return descending ? times.reversed() : times;
  }

  /// Blocks that were ruled out are not scanned; then there is nothing to count.
  private long skipped(EventCursor cursor) {
    return cursor.statistics().blocksSkipped() == 0
        ? 0
        : lines.size() - cursor.statistics().eventsScanned();
  }

  private static Filter body(String needle) {
    return new Filter.Contains(AttributeName.BODY, Text.of(needle));
  }

  @ParameterizedTest
  @ValueSource(strings = {"apache_access.log", "kafka_broker.log"})
  void textsOfRealLinesAreFoundWhereTheyAre(String file) throws Exception {
    write(file);
    List<String> all = List.copyOf(lines.values());
    var random = new SplittableRandom(7);
    for (int i = 0; i < NEEDLES; i++) {
      String line = all.get(random.nextInt(all.size()));
      int from = random.nextInt(line.length());
      int length = 1 + random.nextInt(random.nextBoolean() ? 4 : 30);
      String needle = line.substring(from, Math.min(line.length(), from + length));
      List<Long> expected = new ArrayList<>();
      lines.forEach((time, text) -> {
        if (text.contains(needle)) {
          expected.add(time);
        }
      });
      assertEquals(expected, found(body(needle), i % 2 == 0), needle);
      expected.removeIf(time -> !hasWords(lines.getOrDefault(time, ""), needle));
      Filter has = new Filter.Has(AttributeName.BODY, Text.of(needle));
      assertEquals(expected, found(has, i % 2 == 1), () -> "has " + needle);
    }
    assertEquals(List.of(), found(body("no line has this"), false));
  }

  /// The files are ASCII, for which a word's edge is that of a regular expression.
  private static boolean hasWords(String line, String words) {
    String before = words.matches("(?s)\\w.*") ? "\\b" : "";
    String behind = words.matches("(?s).*\\w") ? "\\b" : "";
    return Pattern.compile(before + Pattern.quote(words) + behind).matcher(line).find();
  }

  @Test
  void filtersOfSeveralPartsAreTheSame() throws Exception {
    write("apache_access.log");
    Filter host = new Filter.Contains(HOST, Text.of("web-1"));
    Filter exact =
        new Filter.Compare(
            HOST, Filter.Comparison.EQUAL, new Filter.Literal.Word(Text.of("web-16.example")));
    Filter reset = body("reset.css");
    check(new Filter.And(List.of(host, reset)), i -> host(i, "web-1") && line(i, "reset.css"));
    check(new Filter.Or(List.of(exact, reset)), i -> isHost(i) || line(i, "reset.css"));
    check(
        new Filter.And(List.of(reset, new Filter.Not(host))),
        i -> line(i, "reset.css") && !host(i, "web-1"));
    check(exact, this::isHost);
    check(new Filter.And(List.of(exact, body("no line has this"))), _ -> false);
    check(new Filter.Contains(AttributeName.of("absent"), Text.of("x")), _ -> false);
  }

  private boolean isHost(int number) {
    return hosts.get(number).equals("web-16.example");
  }

  private boolean host(int number, String needle) {
    return hosts.get(number).contains(needle);
  }

  private boolean line(int number, String needle) {
    return String.valueOf(lines.get(NANOS + 1_000_000L * number)).contains(needle);
  }

  private void check(Filter filter, IntPredicate kept) {
    List<Long> expected = new ArrayList<>();
    for (int i = 0; i < lines.size(); i++) {
      if (kept.test(i)) {
        expected.add(NANOS + 1_000_000L * i);
      }
    }
    assertEquals(expected, found(filter, false), filter.toString());
    assertEquals(expected, found(filter, true), filter.toString());
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void needlesAreFoundAtEveryPlace(long seed) {
    var random = new SplittableRandom(seed);
    for (int i = 0; i < 50_000; i++) {
      byte[] text = new byte[random.nextInt(40) + ByteSource.SLACK];
      for (int k = 0; k < text.length; k++) {
        text[k] =
            (byte) (random.nextInt(3) == 0 ? 0x80 + random.nextInt(2) : 'a' + random.nextInt(2));
      }
      int length = text.length - ByteSource.SLACK;
      String needle = random.nextBoolean() ? "ab" : "a".repeat(1 + random.nextInt(10));
      boolean expected = new String(text, 0, length, ISO_8859_1).contains(needle);
      assertEquals(
          expected,
          new Needle(Text.of(needle), false).isIn(text, 0, length),
          Arrays.toString(text));
    }
  }

  @Test
  void atTheEdges() {
    byte[] text = "] \"GET /1".getBytes(UTF_8);
    assertTrue(isAt(Needle.Place.END, "/1?x", 0, 2, text, true));
    assertFalse(isAt(Needle.Place.END, "1?x", 0, 2, text, true), "another end");
    assertTrue(isAt(Needle.Place.END, "ET /1?x", 0, 5, text, false));
    assertFalse(isAt(Needle.Place.END, "ET /1?x", 0, 5, text, true), "the word opens before");
    assertTrue(isAt(Needle.Place.START, "7] \"GE", 1, 6, text, false));
    assertFalse(isAt(Needle.Place.START, "7] \"GE", 1, 6, text, true), "the word goes on");
    assertTrue(isAt(Needle.Place.WHOLE, "7] \"GET /12", 1, 10, text, true));
    assertFalse(isAt(Needle.Place.WHOLE, "7] \"GET /", 1, 9, text, true), "not all of it");
    assertFalse(isAt(Needle.Place.START, "7] \"GET /12", 1, 11, text, true), "longer than it");
  }

  private static boolean isAt(
      Needle.Place place, String needle, int from, int limit, byte[] text, boolean words) {
    return new Needle(Text.of(needle), words).isAt(place, from, limit, text, 0, text.length);
  }
}
