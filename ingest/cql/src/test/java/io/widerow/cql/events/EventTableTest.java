package io.widerow.cql.events;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cql.Asking;
import io.widerow.cql.system.ServerCatalog;
import io.widerow.cql.system.ServerIdentity;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.UUID;
import java.util.function.DoublePredicate;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: conditions that are pushed down to the store keep the rows that each condition keeps, in
/// both directions and with any size of pages. Method: random events and random conditions,
/// compared with a list that is filtered by the conditions' meaning. The seed is the test's name;
/// to replay one, run with `-Dseed=<n>`.
class EventTableTest {
  private static final long START = 1_700_000_000_000_000_000L;
  private static final int EVENTS = 300;
  private static final int STATEMENTS = Slice.of(12, 60);
  private static final List<String> TYPES = List.of("cpu", "nginx.access", "nginx.error", "a*b?");
  private static final List<String> TEXTS =
      List.of(
          "500",
          "500.0",
          "5e2",
          "true",
          "false",
          "abc",
          "abcd",
          "x abc y",
          "",
          "-7",
          "é",
          "%",
          "NaN",
          "-Infinity");

  /// Parts of texts, and of the texts that numbers and truth values are shown as.
  private static final List<String> PATTERNS =
      List.of("abc", "bc", "50", "0", ".5", "-", "e", "a", "NaN", "Inf", "true", "1.0E10");

  private static final List<Double> NUMBERS =
      List.of(0.0, 0.5, 1.0, 1.5, 1e10, Double.NaN, Double.NEGATIVE_INFINITY);

  /// Conditions that the store serves without ALLOW FILTERING.
  private static final Pattern SERVED =
      Pattern.compile(
          "(ts|id) .*|type (=|IN|LIKE) .*|\\w+\\['.*'] (=|IN) .*|\\w+ CONTAINS KEY .*",
          Pattern.DOTALL);

  static List<Long> seeds() {
    return Seeds.of(3);
  }

  /// A stored event with the id that it was given.
  private record Event(Stored stored, UUID id) {
    long millis() {
      return Math.floorDiv(stored.timeNanos(), 1_000_000L);
    }

    @Nullable String text(String name) {
      Object value = stored.attributes().get(name);
      return value == null ? null : value.toString();
    }

    boolean isNumber(DoublePredicate test) {
      Double found = number("n");
      return found != null && test.test(found);
    }

    @Nullable Double number(String name) {
      Object value = stored.attributes().get(name);
      return switch (value) {
        case null -> null;
        case Long whole -> whole.doubleValue();
        case Double number -> number.isNaN() ? null : number;
        case String text ->
            text.matches("[+-]?\\d+(\\.\\d+)?(e\\d+)?") ? (Double) Double.parseDouble(text) : null;
        default -> null;
      };
    }
  }

  /// A condition and what it means.
  private record Meaning(String column, String text, Predicate<Event> test) {}

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void conditionsKeepWhatTheySay(long seed, @TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Stored> stored = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      stored.add(event(random));
    }
    StoreConfig config = StoreConfig.at(directory.resolve("s")).withJournal(8 << 20, 64 << 20);
    try (EmbeddedStore store = EmbeddedStore.open(config, Runnable::run)) {
      StoreDirectory.append(store, stored.subList(0, EVENTS / 2));
      store.sealAll();
      StoreDirectory.append(store, stored.subList(EVENTS / 2, EVENTS));
      EventSource source = new EventSource(store::view, QueryMemory.unlimited());
      Asking asking =
          new Asking(
              new ServerCatalog(
                  new ServerIdentity(new UUID(1, 2), 9042, "5.0.9"), List.of(source)));
      List<Event> events = withIds(asking, stored);
      for (int i = 0; i < STATEMENTS; i++) {
        compare(asking, events, random);
      }
    }
  }

  private static Stored event(SplittableRandom random) {
    Map<String, Object> attributes = new TreeMap<>();
    for (String name : List.of("body", "s", "n", "type")) {
      Object value =
          switch (random.nextInt(7)) {
            case 0 -> (Object) (long) random.nextInt(-2, 3);
            case 1 -> 500L;
            case 2 -> NUMBERS.get(random.nextInt(NUMBERS.size()));
            case 3 -> random.nextBoolean();
            case 4, 5 -> TEXTS.get(random.nextInt(TEXTS.size()));
            default -> "";
          };
      if (random.nextInt(4) > 0) {
        attributes.put(name, value);
      }
    }
    long nanos = START + random.nextInt(40) * 250_000L + random.nextInt(3);
    return new Stored(TYPES.get(random.nextInt(TYPES.size())), nanos, attributes);
  }

  /// The events in the order of the table, which is that of their ids.
  private static List<Event> withIds(Asking asking, List<Stored> stored) {
    List<Stored> ordered = new ArrayList<>(stored);
    List<String> rows = asking.rows("SELECT id, type, ts FROM widerow.events");
    assertEquals(EVENTS, rows.size());
    List<Event> events = new ArrayList<>();
    // Of one nanosecond ids count up in the order of arrival.
    ordered.sort((one, other) -> Long.compare(one.timeNanos(), other.timeNanos()));
    for (int i = 0; i < EVENTS; i++) {
      String row = rows.get(i);
      Event event = new Event(ordered.get(i), UUID.fromString(row.substring(1, 37)));
      assertEquals(
          "[%s, %s, %s]"
              .formatted(event.id, event.stored.type(), Instant.ofEpochMilli(event.millis())),
          row);
      events.add(event);
    }
    return events;
  }

  private static void compare(Asking asking, List<Event> events, SplittableRandom random) {
    List<Meaning> meanings = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      Meaning meaning = meaning(events, random);
      if (meanings.stream().noneMatch(each -> each.column.equals(meaning.column))) {
        meanings.add(meaning);
      }
    }
    String where =
        meanings.isEmpty()
            ? ""
            : " WHERE " + String.join(" AND ", meanings.stream().map(Meaning::text).toList());
    List<String> expected = new ArrayList<>();
    for (Event event : events) {
      if (meanings.stream().allMatch(meaning -> meaning.test.test(event))) {
        expected.add("[%s, %s, %s]".formatted(event.id, event.text("body"), event.number("n")));
      }
    }
    String order = "";
    if (random.nextBoolean()) {
      order = " ORDER BY ts DESC";
      Collections.reverse(expected);
    }
    boolean served = meanings.stream().allMatch(meaning -> SERVED.matcher(meaning.text).matches());
    String filtering = served ? "" : " ALLOW FILTERING";
    String tail = where + order + filtering;
    String statement = "SELECT id, body, numbers['n'] FROM widerow.events" + tail;
    assertEquals(expected, asking.rows(statement), statement);
    int page = random.nextInt(1, 8);
    assertEquals(expected, asking.rows(statement, page), () -> statement + ", pages of " + page);
    assertEquals(
        List.of("[" + expected.size() + "]"),
        asking.rows("SELECT count(*) FROM widerow.events" + where + filtering),
        statement);
    String all = asking.rows("SELECT * FROM widerow.events" + tail).toString();
    assertTrue(expected.isEmpty() || all.length() > expected.size(), all);
  }

  private static Meaning meaning(List<Event> events, SplittableRandom random) {
    return switch (random.nextInt(6)) {
      case 0 -> ofType(random);
      case 1 -> ofTime(events, random);
      case 2 -> ofId(events, random);
      case 3 -> ofText("body", "body", random);
      case 4 -> random.nextBoolean() ? ofText("attributes['s']", "s", random) : ofMap(random);
      default -> ofNumber(random);
    };
  }

  private static String quoted(String text) {
    return "'" + text.replace("'", "''") + "'";
  }

  private static Meaning ofType(SplittableRandom random) {
    String type = TYPES.get(random.nextInt(TYPES.size()));
    String other = TYPES.get(random.nextInt(TYPES.size()));
    return switch (random.nextInt(5)) {
      case 0 -> new Meaning("type", "type = " + quoted(type), e -> e.stored.type().equals(type));
      case 1 ->
          new Meaning(
              "type",
              "type IN (%s, %s)".formatted(quoted(type), quoted(other)),
              e -> e.stored.type().equals(type) || e.stored.type().equals(other));
      case 2 -> new Meaning("type", "type LIKE 'nginx%'", e -> e.stored.type().startsWith("nginx"));
      case 3 -> new Meaning("type", "type LIKE '%*b?'", e -> e.stored.type().endsWith("*b?"));
      default ->
          new Meaning("type", "type > " + quoted(type), e -> e.stored.type().compareTo(type) > 0);
    };
  }

  private static Meaning ofTime(List<Event> events, SplittableRandom random) {
    long millis = events.get(random.nextInt(EVENTS)).millis();
    return switch (random.nextInt(6)) {
      case 0 -> new Meaning("ts", "ts = " + millis, e -> e.millis() == millis);
      case 1 -> new Meaning("ts", "ts > " + millis, e -> e.millis() > millis);
      case 2 -> new Meaning("ts", "ts >= " + millis, e -> e.millis() >= millis);
      case 3 -> new Meaning("ts", "ts < " + millis, e -> e.millis() < millis);
      case 4 -> new Meaning("ts", "ts <= " + millis, e -> e.millis() <= millis);
      default ->
          new Meaning(
              "ts",
              "ts IN (%d, %d, -5, 9000000000000000)".formatted(millis, millis + 2),
              e -> e.millis() == millis || e.millis() == millis + 2);
    };
  }

  private static Meaning ofId(List<Event> events, SplittableRandom random) {
    int place = random.nextInt(EVENTS);
    Event at = events.get(place);
    String bound = "Timeuuid(" + at.millis() + ")";
    return switch (random.nextInt(5)) {
      case 0 -> new Meaning("id", "id = " + at.id, e -> e.id.equals(at.id));
      case 1 -> new Meaning("id", "id > " + at.id, e -> events.indexOf(e) > place);
      case 2 -> new Meaning("id", "id <= " + at.id, e -> events.indexOf(e) <= place);
      case 3 -> new Meaning("id", "id > max" + bound, e -> e.millis() > at.millis());
      default -> new Meaning("id", "id < min" + bound, e -> e.millis() < at.millis());
    };
  }

  private static Meaning ofText(String column, String name, SplittableRandom random) {
    String text = TEXTS.get(random.nextInt(TEXTS.size()));
    return switch (random.nextInt(5)) {
      case 0 -> new Meaning(column, column + " = " + quoted(text), e -> text.equals(e.text(name)));
      case 1 ->
          new Meaning(
              column,
              column + " IN ('500', " + quoted(text) + ")",
              e -> text.equals(e.text(name)) || "500".equals(e.text(name)));
      case 2, 3 -> like(column, name, random);
      default ->
          new Meaning(
              column,
              column + " < 'abcd'",
              e -> {
                String found = e.text(name);
                return found != null && found.compareTo("abcd") < 0;
              });
    };
  }

  private static Meaning like(String column, String name, SplittableRandom random) {
    String part = PATTERNS.get(random.nextInt(PATTERNS.size()));
    boolean open = random.nextBoolean();
    boolean more = random.nextBoolean();
    return new Meaning(
        column,
        column + " LIKE " + quoted((open ? "%" : "") + part + (more ? "%" : "")),
        e -> {
          String found = e.text(name);
          return found != null
              && (open || found.startsWith(part))
              && (more || found.endsWith(part))
              && ((open || more) ? found.contains(part) : found.equals(part));
        });
  }

  private static Meaning ofMap(SplittableRandom random) {
    return switch (random.nextInt(3)) {
      case 0 -> new Meaning("map", "attributes CONTAINS KEY 'type'", e -> e.text("type") != null);
      case 1 -> new Meaning("map", "numbers CONTAINS KEY 's'", e -> e.number("s") != null);
      default ->
          new Meaning(
              "map",
              "attributes CONTAINS 'abc'",
              e -> List.of("s", "n", "type").stream().anyMatch(n -> "abc".equals(e.text(n))));
    };
  }

  private static Meaning ofNumber(SplittableRandom random) {
    double bound = random.nextInt(4) * 0.5;
    return switch (random.nextInt(3)) {
      case 0 ->
          new Meaning(
              "numbers", "numbers['n'] > " + bound, e -> e.isNumber(found -> found > bound));
      case 1 ->
          new Meaning(
              "numbers",
              "numbers['n'] IN (500, " + bound + ")",
              e -> e.isNumber(found -> found == 500 || found == bound));
      default ->
          new Meaning(
              "numbers", "numbers['n'] <= " + bound, e -> e.isNumber(found -> found <= bound));
    };
  }
}
