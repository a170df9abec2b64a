package io.widerow.query.fields;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.TimeUuid;
import io.widerow.faults.Seeds;
import io.widerow.query.QueryMemory;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.survey.ChosenPartitions;
import io.widerow.query.survey.Survey;
import io.widerow.query.survey.SurveyRequest;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: counts from columns of blocks equal counts from the events, whatever range, filter and
/// pick keep, and wherever the events lie. Method: the same questions to a view that shows events
/// only; `-Dseed=<n>` replays.
class SealedFieldsTest {
  private static final int EVENTS = 3_000;
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_763_668_800L * SECOND; // at an hour
  private static final List<String> FILTERS =
      List.of(
          "status = 200",
          "status != 201",
          "not exists status or status = \"none\"",
          "host = \"h-3\" or host ~ \"^h-[56]$\"",
          "body contains \"line 1\"",
          "body has \"line 17\"",
          "body contains \"absent\"",
          "ms > 1000 and ms <= 2000",
          "exists odd",
          "type = \"t1\" and host < \"h-4\"",
          "not (type = \"t1\" or status = 202)",
          "type = \"none\"");

  private final QueryMemory memory = new QueryMemory(256 << 20);

  static List<Long> seeds() {
    return Seeds.of(3);
  }

  static Stored event(SplittableRandom random, int number) {
    Map<String, Object> attributes = new TreeMap<>();
    attributes.put("body", "line " + number);
    attributes.put("host", "h-" + random.nextInt(7));
    if (random.nextInt(3) > 0) {
      attributes.put("ms", random.nextInt(5) == 0 ? (Object) random.nextDouble() : (long) number);
    }
    attributes.put("status", random.nextInt(9) == 0 ? (Object) "none" : 200L + random.nextInt(3));
    if (random.nextInt(40) == 0) {
      attributes.put("odd", List.of(Double.NaN, -0.0, 1.0, true).get(random.nextInt(4)));
    }
    if (random.nextInt(500) == 0) {
      attributes.put("long", "x".repeat(900 + random.nextInt(400)));
    }
    long time = START + number * (4 * SECOND) + random.nextInt(1_000);
    return new Stored("t" + random.nextInt(4), time, attributes);
  }

  private String answer(StoreView view, SurveyRequest question) {
    OutputBuffer out = new OutputBuffer(1 << 16);
    try (Survey survey = question.open(view, memory)) {
      survey.write(out);
    }
    return out.toString();
  }

  private static FieldsRequest question(Map<String, List<String>> given, String field) {
    return FieldsRequest.parse(given, field.isEmpty() ? null : field, START);
  }

  private static EmbeddedStore store(Path directory, SplittableRandom random) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withJournal(8 << 20, 64 << 20)
            .withBuckets(60, Map.of());
    EmbeddedStore store = EmbeddedStore.open(config, Runnable::run);
    List<Stored> some = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      some.add(event(random, i));
      if (random.nextInt(700) == 0 || i + 1 == EVENTS) {
        StoreDirectory.append(store, some);
        some.clear();
        if (random.nextInt(3) > 0) {
          store.sealAll();
        }
      }
    }
    return store;
  }

  /// The view without columns.
  private static StoreView events(StoreView view) {
    return new ChosenPartitions(
        view,
        view.partitions(_ -> true, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT, null).stream()
            .map(PartitionInfo::key)
            .collect(Collectors.toSet()));
  }

  private static String filter(SplittableRandom random) {
    String one = FILTERS.get(random.nextInt(FILTERS.size()));
    return random.nextInt(4) > 0
        ? one
        : "(%s) or (%s)".formatted(one, FILTERS.get(random.nextInt(FILTERS.size())));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void columnsHaveWhatEventsHave(long seed, @TempDir Path directory) {
    SplittableRandom random = new SplittableRandom(seed);
    KnownFields known = new KnownFields();
    try (EmbeddedStore store = store(directory, random);
        StoreView view = store.view()) {
      for (int i = 0; i < 60; i++) {
        Map<String, List<String>> given = new HashMap<>();
        given.put("budget", List.of("1h"));
        given.put("top", List.of("1000"));
        if (random.nextBoolean()) {
          given.put("type", List.of("t" + random.nextInt(4), "t1"));
        }
        if (random.nextInt(3) > 0) {
          long from = START / SECOND + random.nextInt(EVENTS * 4);
          long to = from + 1 + random.nextInt(EVENTS * 4);
          given.put("from", List.of(Instant.ofEpochSecond(from).toString()));
          given.put("to", List.of(Instant.ofEpochSecond(to).toString()));
        }
        if (random.nextInt(3) > 0) {
          given.put("where", List.of(filter(random)));
        }
        if (random.nextInt(3) == 0) {
          given.put("pick", List.of(filter(random)));
        }
        if (random.nextInt(3) == 0) {
          long from = START / SECOND + random.nextInt(EVENTS * 4);
          given.put("pickfrom", List.of(Instant.ofEpochSecond(from).toString()));
        }
        String field = List.of("", "host", "ms", "type", "odd", "body").get(random.nextInt(6));
        String fast = answer(view, question(given, field).with(known));
        assertEquals(answer(events(view), question(given, field)), fast, given + " " + field);
      }
    }
    assertEquals(0, memory.bytesUsed(), "all memory is given back");
  }

  @Test
  void questionsWithTooLittleTimeComeToAnEnd(@TempDir Path directory) {
    Map<String, List<String>> given = new HashMap<>();
    given.put("top", List.of("1000"));
    given.put("budget", List.of("1us"));
    KnownFields known = new KnownFields();
    try (EmbeddedStore store = store(directory, new SplittableRandom(5))) {
      store.sealAll();
      try (StoreView view = store.view()) {
        String last = answer(view, question(given, "").with(known));
        assertTrue(last.contains("\"exact\":false,\"read\":"), last);
        for (int i = 0; i < 1_000 && !last.contains("\"exact\":true"); i++) {
          last = answer(view, question(given, "").with(known));
        }
        given.put("budget", List.of("1h"));
        assertEquals(answer(events(view), question(given, "")), last);
      }
    }
  }
}
