package io.widerow.query.logql.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import io.widerow.event.EventBatch;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.event.TimeUuid;
import io.widerow.faults.Slice;
import io.widerow.query.QueryBudget;
import io.widerow.query.QueryMemory;
import io.widerow.query.RangeQuery;
import io.widerow.query.StoreDirectory;
import io.widerow.query.TypeGlobs;
import io.widerow.query.fields.FieldStatisticsWarmer;
import io.widerow.query.fields.KnownFields;
import io.widerow.query.filter.FilterParser;
import io.widerow.query.logql.LogqlParser;
import io.widerow.query.logql.Matcher;
import io.widerow.query.logql.line.LabelMapping;
import io.widerow.query.survey.ChosenPartitions;
import io.widerow.storage.Durability;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.StoreView;
import io.widerow.storage.embedded.DeletionControl;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedSet;
import java.util.SplittableRandom;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: labels and values from sealed blocks equal the labels and values of a scan, whatever the
/// range cuts and whatever became of events: sealed, merged, replaced by their ids, past retention,
/// deleted; and where blocks suffice, no event is read. Method: generated stores and questions; a
/// view of the same partitions that tells nothing is scanned. `-Dseed=<n>` replays.
@Timeout(600)
class LabelCatalogTest {
  private static final int EVENTS = 900;
  private static final int CHUNKS = 6;
  private static final int QUESTIONS = Slice.of(10, 40);
  private static final long SECOND = 1_000_000_000L;
  private static final long START = 1_763_668_800L * SECOND; // at an hour
  private static final long SPAN = 6 * 3_600L * SECOND;

  private static final List<String> LABELS =
      List.of(
          "host",
          "level",
          "k8s_pod_name",
          "k8s_pod_name_2",
          "pod",
          "instance",
          "region",
          "job",
          "cluster",
          "namespace",
          "ms",
          "odd",
          "a_b",
          "http_method",
          "status",
          "detected_level",
          "body",
          "service_name",
          "nowhere",
          "no_where",
          "__error__");

  private static final List<String> SELECTORS =
      List.of(
          "",
          "",
          "",
          "{service_name=\"t1\"}",
          "{service_name=~\"t[02-4]\"}",
          "{service_name!=\"t0\"}",
          "{service_name=~\"t.*\", service_name!=\"own\"}",
          "{service_name=\"none\"}",
          "{service_name=\"plain\"}",
          "{host=\"h-1\"}",
          "{service_name=~\"t[12]\", host!=\"h-1\"}",
          "{level=~\"e.*\"}");

  private final LabelMapping labels = new LabelMapping(LabelMapping.DEFAULT);
  private final QueryMemory memory = new QueryMemory(256 << 20);
  private final KnownFields known = new KnownFields();

  private static EmbeddedStore open(Path directory) {
    StoreConfig config =
        StoreConfig.at(directory.resolve("s"))
            .withJournal(8 << 20, 64 << 20)
            .withBuckets(60, Map.of("t3", 1_440))
            .withDiskReserveBytes(0)
            .withAges(Duration.ZERO, null);
    return EmbeddedStore.open(config, Runnable::run);
  }

  private static void write(EmbeddedStore store, SplittableRandom random, int from, int until) {
    try (var batch = new EventBatch(1 << 12, 1 << 24)) {
      for (int i = from; i < until; i++) {
        put(batch, i, random);
        assertNull(batch.end());
      }
      store
          .lane(0)
          .append(
              batch,
              0,
              (index, why) -> {
                throw new AssertionError(index + ": " + why);
              });
      store.lane(0).commit(Durability.MEMORY);
    }
  }

  private static void put(EventBatch batch, int number, SplittableRandom random) {
    long time = START + number * (SPAN / EVENTS) + random.nextInt(1_000);
    boolean plain = random.nextInt(6) == 0;
    if (random.nextInt(20) == 0) {
      time -= random.nextLong(SPAN); // late
    }
    if (!plain && random.nextInt(12) == 0) { // most of these replace the one before
      long at = START + number / 40 * (SPAN / 40);
      byte[] type = utf8("own");
      batch.begin(
          type, 0, type.length, new EventId(TimeUuid.timeOfNanos(at), TimeUuid.tailOf(at, 1, 1)));
    } else {
      byte[] type = utf8(plain ? "plain" : "t" + random.nextInt(5));
      batch.begin(type, 0, type.length, time);
    }
    if (plain) { // has no level
      if (random.nextBoolean()) {
        text(batch, "detected_level", random.nextBoolean() ? "WARNING" : "err");
      }
      text(batch, "host", "h-9");
      return;
    }
    // In the order of names.
    if (random.nextInt(40) == 0) {
      text(batch, "a-b", "dash" + random.nextInt(2));
    }
    if (random.nextInt(30) == 0) {
      text(batch, "a.b", "dot" + random.nextInt(2));
    }
    text(batch, "body", "line " + number);
    if (random.nextInt(150) == 0) {
      text(batch, "cluster", "c-" + random.nextInt(2));
    }
    text(batch, "host", "h-" + random.nextInt(number < EVENTS / 2 ? 3 : 5));
    text(batch, "http.method", random.nextBoolean() ? "GET" : "PUT");
    whole(batch, "instance", random.nextInt(3));
    if (random.nextInt(100) == 0) {
      batch.putBytes(utf8("job"), 0, 3, new byte[] {(byte) random.nextInt(3)}, 0, 1);
    }
    if (random.nextInt(4) > 0) {
      text(batch, "k8s.pod.name", "p-" + random.nextInt(3));
    }
    if (random.nextInt(EVENTS / 2) == 0) {
      text(batch, "k8s_pod_name", "q-" + random.nextInt(3));
    }
    switch (random.nextInt(8)) {
      case 0 -> text(batch, "level", "error");
      case 1 -> whole(batch, "level", 3);
      case 2 -> text(batch, "level", "");
      default -> text(batch, "level", "info");
    }
    batch.putDouble(utf8("ms"), 0, 2, random.nextInt(6) / 2.0);
    if (random.nextInt(300) == 0) {
      text(batch, "namespace", "n".repeat(1_000 + random.nextInt(60)));
    } else if (random.nextInt(50) == 0) {
      text(batch, "namespace", "short");
    }
    double odd = List.of(Double.NaN, -0.0, 1e15, 0x1p60).get(random.nextInt(4));
    if (random.nextInt(300) == 0) {
      batch.putDouble(utf8("odd"), 0, 3, odd);
    } else if (random.nextInt(9) == 0) {
      whole(batch, "odd", random.nextInt(2));
    }
    text(batch, "pod", random.nextInt(EVENTS) == 0 ? "one" : "");
    if (random.nextInt(30) == 0) {
      batch.putBoolean(utf8("region"), 0, 6, random.nextBoolean());
    }
    whole(batch, "status", 200 + random.nextInt(2));
  }

  private static void text(EventBatch batch, String name, String value) {
    batch.putString(utf8(name), 0, name.length(), utf8(value));
  }

  private static void whole(EventBatch batch, String name, long value) {
    batch.putLong(utf8(name), 0, name.length(), value);
  }

  private static byte[] utf8(String text) {
    return StoreDirectory.utf8(text);
  }

  private static List<PartitionKey> all(StoreView view) {
    return view.partitions(TypeGlobs.ALL, TimeUuid.NANOS_MIN, TimeUuid.NANOS_LIMIT).stream()
        .map(PartitionInfo::key)
        .toList();
  }

  private SortedSet<String> ask(
      StoreView view, long from, long until, Function<LabelCatalog, SortedSet<String>> question) {
    try (LogqlContext execution =
        new LogqlContext(view, labels, known, LogqlLimits.DEFAULT, QueryBudget.DEFAULT, memory)) {
      return question.apply(new LabelCatalog(execution, from, until));
    }
  }

  private void check(EmbeddedStore store, SplittableRandom random, String when) {
    try (StoreView view = store.view()) {
      StoreView silent = new ChosenPartitions(view, Set.copyOf(all(view)));
      for (int i = 0; i < QUESTIONS; i++) {
        String selector = SELECTORS.get(random.nextInt(SELECTORS.size()));
        List<Matcher> matchers = selector.isEmpty() ? List.of() : LogqlParser.selector(selector);
        long from = START - SPAN;
        long until = START + 2 * SPAN;
        if (random.nextInt(3) > 0) {
          from = START + random.nextLong(SPAN) - SPAN / 2;
          until = from + random.nextLong(SPAN);
        }
        String label = LABELS.get(random.nextInt(LABELS.size()));
        String what = "%s: %s of %s from %d until %d".formatted(when, label, selector, from, until);
        assertEquals(
            ask(silent, from, until, catalog -> catalog.labels(matchers)),
            ask(view, from, until, catalog -> catalog.labels(matchers)),
            what);
        assertEquals(
            ask(silent, from, until, catalog -> catalog.values(label, matchers)),
            ask(view, from, until, catalog -> catalog.values(label, matchers)),
            what);
      }
    }
    assertEquals(0, memory.bytesUsed(), "all memory is given back");
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("io.widerow.faults.Seeds#five")
  void blocksTellWhatAScanFinds(long seed, @TempDir Path directory) throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    try (EmbeddedStore store = open(directory)) {
      check(store, random, "empty");
      for (int chunk = 0; chunk < CHUNKS; chunk++) {
        write(store, random, chunk * EVENTS / CHUNKS, (chunk + 1) * EVENTS / CHUNKS);
        if (random.nextInt(3) > 0) {
          store.sealAll();
        }
        if (random.nextBoolean()) {
          new FieldStatisticsWarmer(store, known).look();
        }
        check(store, random, "chunk " + chunk);
      }
      store.sealAll();
      store.maintain();
      store.awaitBackground();
      check(store, random, "merged");
      new FieldStatisticsWarmer(store, known).look();
      check(store, random, "merged and read ahead");
      long age = System.currentTimeMillis() * 1_000_000L - START - random.nextLong(SPAN);
      store.retain("t" + random.nextInt(5), Duration.ofNanos(age));
      check(store, random, "a type is partly past its retention");
      delete(store);
      check(store, random, "events are deleted");
    }
    try (EmbeddedStore store = open(directory)) {
      for (int look = 0; look < 20; look++) {
        store.maintain();
        store.awaitBackground();
      }
      new FieldStatisticsWarmer(store, known).look();
      check(store, random, "opened again, and rewritten");
    }
  }

  private static void delete(EmbeddedStore store) {
    String where = "host = \"h-4\" or level = \"error\"";
    DeletionControl.Asked asked =
        new DeletionControl.Asked(
            List.of(), Long.MIN_VALUE, Long.MAX_VALUE, where, FilterParser.parse(where, 0));
    try (StoreView view = store.view()) {
      var _ = store.deletions().plan(asked, view);
    }
    var _ = store.deletions().run(1);
  }

  /// Labels, values and names of attributes of whole segments.
  @Test
  void whatBlocksTellIsNotScanned(@TempDir Path directory) throws InterruptedException {
    try (EmbeddedStore store = open(directory)) {
      for (int chunk = 0; chunk < 3; chunk++) {
        try (var batch = new EventBatch(1 << 12, 1 << 24)) {
          for (int i = 0; i < 200; i++) {
            byte[] type = utf8("t" + i % 20);
            batch.begin(type, 0, type.length, START + (chunk * 200L + i) * SECOND);
            text(batch, "host", "h-" + i % 7);
            whole(batch, "in-" + chunk, i);
            text(batch, "level", "");
            assertNull(batch.end());
          }
          store.lane(0).append(batch, 0, (_, why) -> assertNull(why));
          store.lane(0).commit(Durability.MEMORY);
        }
        store.sealAll();
        store.awaitBackground();
      }
      notScanned(store, "from dictionaries");
      new FieldStatisticsWarmer(store, known).look();
      notScanned(store, "from known blocks");
    }
    try (EmbeddedStore store = open(directory)) {
      new FieldStatisticsWarmer(store, known).look();
      notScanned(store, "after a start");
    }
  }

  private void notScanned(EmbeddedStore store, String when) {
    Set<String> hosts = Set.of("h-0", "h-1", "h-2", "h-3", "h-4", "h-5", "h-6");
    try (StoreView view = store.view();
        LogqlContext execution =
            new LogqlContext(
                view, labels, known, LogqlLimits.DEFAULT, QueryBudget.DEFAULT, memory)) {
      LabelCatalog catalog = new LabelCatalog(execution, START - SPAN, START + SPAN);
      assertEquals(Set.of("host", "service_name"), catalog.labels(List.of()), when);
      assertEquals(hosts, catalog.values("host", List.of()), when);
      assertEquals(200, catalog.values("in_1", List.of()).size(), when);
      List<Matcher> some = LogqlParser.selector("{service_name=~\"t1.*\"}");
      assertEquals(hosts, catalog.values("host", some), when);
      assertEquals(Set.of("host", "service_name"), catalog.labels(some), when);
      assertEquals(0, execution.eventsScanned(), when);
      assertEquals(
          Set.of("host", "in-0", "in-1", "in-2", "level"), names(execution, RangeQuery.ALL), when);
      assertEquals(
          Set.of("host", "in-1", "level"),
          names(execution, RangeQuery.ALL.withRange(START + 250 * SECOND, START + 300 * SECOND)),
          when);
    }
    assertEquals(0, memory.bytesUsed(), "all memory is given back");
  }

  private static Set<String> names(LogqlContext execution, RangeQuery range) {
    var names = execution.attributeNames(range);
    return names == null
        ? Set.of()
        : names.stream().map(Object::toString).collect(Collectors.toSet());
  }
}
