package io.widerow.query;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.TimeUuid;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import io.widerow.query.result.QueryResult;
import io.widerow.storage.Durability;
import io.widerow.storage.FilterEvaluation;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a filter keeps the events that its text describes. Method: random filter texts, each built
/// together with a naive evaluation over a map that shares no code with the parser and the store;
/// random events with attributes of every kind, alone and in a store. The seed is the test's name;
/// `-Dseed=<n>` replays it.
class FilterOracleTest {
  private static final long NOW = 1_763_666_100_000_000_000L;
  private static final List<String> NAMES = List.of("a", "b", "c.d", "body");
  private static final List<String> WORDS =
      List.of("", "x", "xy", "Y1", "1", "01.0", "-2", "1.5e0", "1x", "true", "grüße", "GRÜSSE");
  private static final List<String> SIGNS = List.of("=", "==", "!=", "<", "<=", ">", ">=");
  private static final List<String> TYPES = List.of("t", "T1", "ü");
  private static final List<String> IDS =
      List.of("5a8c6b80-c64a-11f0-8080-808080808080", "5a8c6b80-c64a-11f0-8080-808080808081");
  private static final List<String> TIMES =
      List.of(
          "2025-11-20T19:15:00.000000001Z", "2025-11-20T19:15:00Z", "2025-11-20T19:15:01Z", "now");
  private static final List<String> EXPRESSIONS = List.of("x", "^x$", "[xY]", "(?i)^y\\d", ".");

  @TempDir Path directory;

  /// A filter as text, and its naive evaluation.
  private record Said(String text, Predicate<Map<String, Object>> keeps) {}

  private static Said filter(SplittableRandom random, int depth) {
    return switch (depth == 0 ? 3 : random.nextInt(6)) {
      case 0 -> {
        Said inner = filter(random, depth - 1);
        yield new Said("not (" + inner.text + ")", inner.keeps.negate());
      }
      case 1 -> {
        Said left = filter(random, depth - 1);
        Said right = filter(random, depth - 1);
        yield new Said("(" + left.text + ") and (" + right.text + ")", left.keeps.and(right.keeps));
      }
      case 2 -> { // without parentheses: "and" binds tighter
        Said a = test(random);
        Said b = test(random);
        Said c = test(random);
        yield new Said(
            a.text + " or " + b.text + " and not " + c.text,
            a.keeps.or(b.keeps.and(c.keeps.negate())));
      }
      default -> {
        yield test(random);
      }
    };
  }

  private static Said test(SplittableRandom random) {
    String name = pick(random, NAMES);
    return switch (random.nextInt(9)) {
      case 0 -> {
        boolean not = random.nextBoolean();
        String has = pick(random, List.of("exists %s", "%s exists", "%s is not null"));
        String hasNot = pick(random, List.of("%s is null", "%s not exists", "not exists %s"));
        yield new Said(
            (not ? hasNot : has).formatted(name), event -> event.containsKey(name) != not);
      }
      case 1 -> {
        String word = pick(random, WORDS);
        boolean not = random.nextBoolean();
        yield new Said(
            name + (not ? " not" : "") + " contains '" + word + "'",
            event -> not != (event.get(name) instanceof String text && text.contains(word)));
      }
      case 6 -> {
        String word = pick(random, WORDS);
        yield new Said(
            name + " icontains '" + word + "'",
            event -> event.get(name) instanceof String text && containsFolded(text, word));
      }
      case 7, 8 -> {
        yield own(random);
      }
      case 2 -> {
        Pattern pattern = Pattern.compile(pick(random, EXPRESSIONS));
        boolean not = random.nextBoolean();
        yield new Said(
            name + (not ? " !~ '" : " ~ '") + pattern + "'",
            event -> not != (event.get(name) instanceof String s && pattern.matcher(s).find()));
      }
      case 3 -> {
        Object first = value(random);
        Object second = value(random);
        boolean not = random.nextBoolean();
        yield new Said(
            name + (not ? " not" : "") + " in (" + literal(first) + ", " + literal(second) + ")",
            event ->
                not
                    != (compares(event.get(name), "=", first)
                        || compares(event.get(name), "=", second)));
      }
      default -> {
        Object value = value(random);
        String sign = pick(random, SIGNS);
        yield new Said(
            name + " " + sign + " " + literal(value),
            event -> compares(event.get(name), sign, value));
      }
    };
  }

  private static boolean containsFolded(String text, String word) {
    for (int at = 0; at + word.length() <= text.length(); at++) {
      if (text.regionMatches(true, at, word, 0, word.length())) {
        return true;
      }
    }
    return false;
  }

  /// Tests of the type, time and id, which are under the names that answers have for them, and of
  /// attributes with these names, which are under `attributes.`.
  private static Said own(SplittableRandom random) {
    String sign = pick(random, SIGNS);
    return switch (random.nextInt(5)) {
      case 0 -> {
        String word = pick(random, TYPES);
        yield new Said(
            "type " + sign + " '" + word + "'", event -> compares(event.get("type"), sign, word));
      }
      case 1 -> {
        yield new Said(
            "(type icontains 'T' and not type ~ '1$')",
            event -> event.get("type") instanceof String s && s.equalsIgnoreCase("t"));
      }
      case 2 -> {
        String id = pick(random, IDS);
        boolean not = random.nextBoolean();
        yield new Said(
            (not ? "id != '%s'" : "id in (%s)").formatted(id),
            event -> not != id.equals(event.get("id")));
      }
      case 3 -> {
        String time = pick(random, TIMES);
        Instant instant = time.equals("now") ? Instant.ofEpochSecond(0, NOW) : Instant.parse(time);
        String quote = random.nextBoolean() ? "'" : "";
        yield new Said(
            "ts " + sign + " " + quote + time + quote,
            event ->
                compares(
                    Instant.parse(String.valueOf(event.get("ts"))).compareTo(instant), sign, 0L));
      }
      default -> {
        String name = pick(random, List.of("id", "ts", "type"));
        String spelled = random.nextBoolean() ? "`" + name + "`" : "attributes." + name;
        Object value = value(random);
        yield new Said(
            spelled + " " + sign + " " + literal(value),
            event -> compares(event.get("attributes." + name), sign, value));
      }
    };
  }

  private static <T> T pick(SplittableRandom random, List<T> list) {
    return list.get(random.nextInt(list.size()));
  }

  private static Object value(SplittableRandom random) {
    return switch (random.nextInt(4)) {
      case 0 -> pick(random, WORDS);
      case 1 -> (long) random.nextInt(-2, 4);
      case 2 -> random.nextInt(-4, 8) / 2.0;
      default -> random.nextBoolean();
    };
  }

  private static String literal(Object value) {
    return value instanceof String text ? '"' + text + '"' : value.toString();
  }

  private static boolean compares(@Nullable Object value, String sign, Object literal) {
    Integer order = value == null ? null : order(value, literal);
    return switch (sign) {
      case "=", "==" -> order != null && order == 0;
      case "!=" -> order == null || order != 0;
      case "<" -> order != null && order < 0;
      case "<=" -> order != null && order <= 0;
      case ">" -> order != null && order > 0;
      default -> order != null && order >= 0;
    };
  }

  /// Null for kinds that cannot be compared.
  private static @Nullable Integer order(Object value, Object literal) {
    if (literal instanceof Number) {
      boolean number =
          value instanceof Number
              || (value instanceof String text && text.matches("-?[0-9.]+(e[0-9]+)?"));
      return number
          ? new BigDecimal(value.toString()).compareTo(new BigDecimal(literal.toString()))
          : null;
    }
    if (value instanceof String a && literal instanceof String b) {
      return a.compareTo(b); // no surrogates, so in the order of UTF-8
    }
    if (value instanceof Boolean a && literal instanceof Boolean b) {
      return a.compareTo(b);
    }
    return null;
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#twenty")
  void filterKeepsWhatItsTextSays(long seed) {
    var random = new SplittableRandom(seed);
    AttributeValue scratch = new AttributeValue();
    for (int i = 0; i < 300; i++) {
      Said said = filter(random, 3);
      var filter = FilterParser.parse(said.text, NOW);
      for (int j = 0; j < 20; j++) {
        Map<String, Object> attributes = new LinkedHashMap<>();
        for (String name : NAMES) {
          if (random.nextInt(3) > 0) {
            attributes.put(name, value(random));
          }
        }
        for (String name : List.of("id", "ts", "type")) {
          if (random.nextBoolean()) {
            attributes.put("attributes." + name, value(random));
          }
        }
        attributes.put("id", pick(random, IDS));
        attributes.put("ts", pick(random, TIMES.subList(0, 3)));
        attributes.put("type", pick(random, TYPES));
        assertEquals(
            said.keeps.test(attributes),
            FilterEvaluation.keeps(filter, new LineEvent(attributes), scratch),
            () -> said.text + " over " + attributes);
      }
    }
  }

  /// Open rows, segments, merged segments, with and without ids that the sender chose: whatever a
  /// scan skips, it keeps what the text says.
  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void scansKeepWhatTheirTextSays(long seed) throws InterruptedException {
    var random = new SplittableRandom(seed);
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withLanes(1, 2)
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      write(store, random, 0);
      store.sealAll();
      store.awaitBackground();
      write(store, random, 1);
      assertTrue(store.statistics().openEvents() > 0);
      check(store, random);
      store.sealAll();
      store.awaitBackground();
      check(store, random);
      store.maintain();
      store.awaitBackground();
      check(store, random);
    }
  }

  private static void write(EmbeddedStore store, SplittableRandom random, int half) {
    try (var batch = new EventBatch(1 << 12, 1 << 22)) {
      for (int i = 0; i < 600; i++) {
        byte[] type = StoreDirectory.utf8(pick(random, TYPES));
        long time = NOW + (long) random.nextInt(3) * random.nextInt(1_000_000_000);
        if (type.length > 1 && type[0] == 'T') { // may replace an event of the same number
          long tail = TimeUuid.tailOf(NOW, 1, random.nextInt(50));
          batch.begin(type, 0, type.length, new EventId(TimeUuid.timeOfNanos(NOW), tail));
        } else {
          batch.begin(type, 0, type.length, time);
        }
        Map<String, Object> attributes = new TreeMap<>();
        for (String name : List.of("a", "b", "c.d", "body", "id", "ts", "type")) {
          boolean seldom = name.equals("b") && half == 0; // whole blocks without it
          if (random.nextInt(seldom ? 600 : 3) == 0 || name.equals("a")) {
            attributes.put(name, name.equals("a") ? (long) random.nextInt(-2, 4) : value(random));
          }
        }
        attributes.forEach((name, value) -> StoreDirectory.put(batch, name, value));
        assertNull(batch.end());
      }
      store
          .lane(0)
          .append(
              batch,
              half,
              (index, why) -> {
                throw new AssertionError(index + ": " + why);
              });
      store.lane(0).commit(Durability.MEMORY);
    }
  }

  private static void check(EmbeddedStore store, SplittableRandom random) {
    try (StoreView view = store.view()) {
      List<Map<String, Object>> all = lines(view, RangeQuery.ALL);
      assertTrue(all.size() > 300, all.size() + " events");
      String id = String.valueOf(pick(random, all).get("id"));
      Said one = new Said("id = '" + id + "'", event -> id.equals(event.get("id")));
      for (int i = 0; i < 60; i++) {
        Said said = i == 0 ? one : filter(random, i % 4);
        RangeQuery query = RangeQuery.ALL.withFilter(FilterParser.parse(said.text, NOW)).narrowed();
        List<Map<String, Object>> kept = all.stream().filter(said.keeps).toList();
        assertEquals(kept, lines(view, query), said.text);
        assertEquals(kept.reversed(), lines(view, query.withDescending(true)), said.text);
      }
    }
  }

  private static List<Map<String, Object>> lines(StoreView view, RangeQuery query) {
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (RangeReader reader = RangeReader.open(view, query, QueryBudget.DEFAULT);
        QueryResult answer =
            new QueryResult(reader, new JsonLinesWriter(ZoneOffset.UTC, null), null)) {
      while (answer.writeNext(out)) {}
      assertNull(answer.failure());
    }
    return out.toString()
        .lines()
        .filter(line -> line.startsWith("{\"id\""))
        .map(JsonLine::parse)
        .toList();
  }
}
