package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.databind.JsonNode;
import io.widerow.faults.Await;
import io.widerow.faults.MeasuredDaemon;
import io.widerow.faults.PacedSenders;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: layouts that the daemon chooses refuse nothing and give small types few partitions; and
/// their cost compared with a fixed layout. Method: daemons in processes of their own; one of three
/// types comes fifty times as fast from one moment on; 10,000 types come an event a second in all.
/// Prints rows of a table; times decide nothing.
@Tag("faults")
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class LayoutFiguresTest {
  private static final int BASE = Integer.getInteger("layout.rate", 1_000); // a second, of a type
  private static final int TIMES = 50;
  private static final int SECONDS = Integer.getInteger("layout.seconds", 60);
  private static final int PAIRS = Integer.getInteger("layout.pairs", 6);
  private static final int PAIR_SECONDS = Integer.getInteger("layout.pair.seconds", 5);
  private static final int EVENTS = Integer.getInteger("layout.events", 2_000_000);
  private static final int TYPES = Integer.getInteger("layout.types", 10_000);
  private static final String LANES = System.getProperty("layout.lanes", "1,2,4");
  private static final int TYPES_SECONDS = 3 * 86_400; // of an event each
  private static final int BATCH = 2_000;
  private static final long FROM = Instant.parse("2025-11-20T00:00:00Z").toEpochMilli();

  /// What nobody has to say, on two lanes.
  private static final Map<String, String> CHOSEN =
      Map.of("lanes", "2", "open-age", "10s", "merge-after", "10s");

  @TempDir private Path directory = Path.of(".");

  /// The layout that was fixed before layouts were chosen.
  private static Map<String, String> fixed() {
    Map<String, String> keys = new HashMap<>(CHOSEN);
    keys.put("bucket-minutes", "60");
    keys.put("shards", "4");
    keys.put("final", "keep");
    return keys;
  }

  @Test
  void aStepOfFiftyTimes() throws IOException, InterruptedException {
    try (MeasuredDaemon daemon = new MeasuredDaemon(directory.resolve("step"), CHOSEN);
        PacedSenders stepping = new PacedSenders(daemon.process.port(), "step.a", BASE, 4);
        PacedSenders second = new PacedSenders(daemon.process.port(), "step.b", BASE, 1);
        PacedSenders third = new PacedSenders(daemon.process.port(), "step.c", BASE, 1)) {
      for (int i = 0; i < 10; i++) {
        MeasuredDaemon.second();
      }
      int before = shards(daemon);
      long begun = System.nanoTime();
      stepping.at(BASE * TIMES);
      double rose = Double.NaN;
      while (System.nanoTime() - begun < SECONDS * 1_000_000_000L) {
        if (Double.isNaN(rose) && shards(daemon) > before) {
          rose = (System.nanoTime() - begun) / 1e9;
        }
        Await.pauseNanos(20_000_000); // how often it is looked
      }
      List<PacedSenders> all = List.of(stepping, second, third);
      for (PacedSenders each : all) {
        each.end();
      }
      MeasuredDaemon.report(
          "a step of %d times to %,d events/s: shards of the type rise after"
              .formatted(TIMES, BASE * TIMES),
          "2 s",
          "%.2f s, from %d to %d".formatted(rose, before, shards(daemon)));
      long events = all.stream().mapToLong(PacedSenders::sent).sum();
      long refused = all.stream().mapToLong(PacedSenders::refused).sum();
      MeasuredDaemon.report(
          "refused", "0", "%d batches; %,d events taken".formatted(refused, events));
      MeasuredDaemon.report(
          "events of its shards in its largest bucket, max/mean",
          "1.3",
          "%.3f".formatted(skew(daemon)));
      long stored = 0;
      for (JsonNode line : daemon.lines("/v1/partitions?type=step.%2A")) {
        stored += line.path("events").asLong();
      }
      assertEquals(events, stored, "catalog");
      assertEquals(0, refused);
    }
  }

  private static int shards(MeasuredDaemon daemon) throws IOException, InterruptedException {
    return daemon.lines("/v1/layout").stream()
        .filter(line -> line.path("type").asText().equals("step.a"))
        .mapToInt(line -> line.path("shards").asInt())
        .findFirst()
        .orElse(0);
  }

  /// The events of the fullest shard relative to the mean, in the fullest bucket.
  private static double skew(MeasuredDaemon daemon) throws IOException, InterruptedException {
    Map<String, List<Long>> buckets = new TreeMap<>();
    for (JsonNode line : daemon.lines("/v1/partitions?type=step.a")) {
      String key = line.path("partition").asText();
      buckets
          .computeIfAbsent(key.substring(0, key.indexOf('|')), _ -> new ArrayList<>())
          .add(line.path("events").asLong());
    }
    List<Long> largest =
        buckets.values().stream().max((a, b) -> Long.compare(sum(a), sum(b))).orElseThrow();
    return largest.stream().mapToLong(each -> each).max().orElseThrow()
        * (double) largest.size()
        / sum(largest);
  }

  private static long sum(List<Long> values) {
    return values.stream().mapToLong(each -> each).sum();
  }

  @Test
  void ingestRateBesideAFixedLayout() throws IOException, InterruptedException {
    try (MeasuredDaemon chosen = new MeasuredDaemon(directory.resolve("chosen"), CHOSEN);
        MeasuredDaemon fixed = new MeasuredDaemon(directory.resolve("fixed"), fixed())) {
      rate(chosen); // compiled code, shards that have risen
      rate(fixed);
      List<Double> ratios = new ArrayList<>();
      List<Double> rates = new ArrayList<>();
      for (int pair = 0; pair < PAIRS; pair++) {
        double first = rate(pair % 2 == 0 ? chosen : fixed);
        double second = rate(pair % 2 == 0 ? fixed : chosen);
        double of = pair % 2 == 0 ? first : second;
        rates.add(of);
        ratios.add(of / (pair % 2 == 0 ? second : first));
      }
      MeasuredDaemon.report(
          "events/s of one sender at full rate relative to a fixed layout, %d pairs"
              .formatted(PAIRS),
          "0.97",
          "%.3f (%.3f .. %.3f) at %,.0f/s"
              .formatted(
                  MeasuredDaemon.median(ratios),
                  ratios.stream().min(Double::compare).orElseThrow(),
                  ratios.stream().max(Double::compare).orElseThrow(),
                  MeasuredDaemon.median(rates)));
    }
  }

  private static double rate(MeasuredDaemon daemon) throws IOException, InterruptedException {
    String lines =
        "{\"type\":\"step.a\",\"level\":\"info\",\"status\":200,\"body\":\"GET /cart\"}\n"
            .repeat(5_000);
    long begun = System.nanoTime();
    long stored = 0;
    while (System.nanoTime() - begun < PAIR_SECONDS * 1_000_000_000L) {
      daemon.take(lines);
      stored += 5_000;
    }
    return stored / ((System.nanoTime() - begun) / 1e9);
  }

  @Test
  void bytesWrittenBesideAFixedLayout() throws IOException, InterruptedException {
    long[] chosen = written(directory.resolve("written"), CHOSEN);
    long[] fixed = written(directory.resolve("written.fixed"), fixed());
    MeasuredDaemon.report(
        "bytes written to segments, %,d events, relative to a fixed layout".formatted(EVENTS),
        "1.05",
        "%.3f (%,d and %,d; at rest %,d and %,d)"
            .formatted((double) chosen[0] / fixed[0], chosen[0], fixed[0], chosen[1], fixed[1]));
  }

  /// Bytes written and at rest after four hours of three types; one of them comes fifty times as
  /// fast for the third hour.
  private static long[] written(Path data, Map<String, String> keys)
      throws IOException, InterruptedException {
    try (MeasuredDaemon daemon = new MeasuredDaemon(data, keys)) {
      StringBuilder lines = new StringBuilder();
      int hour = EVENTS / (TIMES + 11); // events of an hour and a type before the step
      int sent = 0;
      for (int i = 0; i < 4 * hour; i++) {
        long at = FROM + 4 * 3_600_000L * i / (4L * hour);
        int of = i / hour == 2 ? TIMES : 1;
        for (int type = 0; type < 3; type++) {
          for (int event = 0; event < (type == 0 ? of : 1); event++) {
            lines
                .append("{\"ts\":")
                .append(at)
                .append(",\"type\":\"step.")
                .append((char) ('a' + type))
                .append("\",\"ms\":")
                .append(sent * 7_919L % 997)
                .append(",\"body\":\"GET /cart/")
                .append(sent % 5_000)
                .append("\"}\n");
            sent++;
          }
        }
        if (lines.length() > BATCH * 100 || i + 1 == 4 * hour) {
          daemon.take(lines.toString());
          lines.setLength(0);
        }
      }
      daemon.awaitRest();
      return new long[] {daemon.status("segmentBytesWritten"), daemon.status("segmentBytes")};
    }
  }

  @Test
  void tenThousandTypesOfAnEventASecondInAll() throws IOException, InterruptedException {
    for (String lanes : LANES.split(",", -1)) {
      double one = ofTypes(lanes, 1);
      double many = ofTypes(lanes, TYPES);
      MeasuredDaemon.report(
          "resident memory relative to one type, %s lanes".formatted(lanes),
          "1.15",
          "%.2f".formatted(many / one));
    }
  }

  /// Resident memory of a daemon with three days of an event a second in all.
  private double ofTypes(String lanes, int types) throws IOException, InterruptedException {
    Map<String, String> keys = Map.of("lanes", lanes, "open-age", "10s", "merge-after", "5s");
    Path data = directory.resolve("types" + types + "-" + lanes);
    try (MeasuredDaemon daemon = new MeasuredDaemon(data, keys)) {
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < TYPES_SECONDS; i++) {
        lines.append(
            "{\"ts\":%d,\"type\":\"t%d\",\"ms\":%d,\"body\":\"GET /cart/%d\"}\n"
                .formatted(FROM + i * 1_000L, i % types, i * 7_919L % 997, i % 5_000));
        if (i % BATCH == BATCH - 1 || i + 1 == TYPES_SECONDS) {
          daemon.take(lines.toString());
          lines.setLength(0);
        }
      }
      daemon.awaitRest();
      double resident = daemon.process.memoryBytes("VmRSS");
      List<JsonNode> partitions = daemon.lines("/v1/partitions");
      long last =
          partitions.stream().filter(line -> line.path("state").asText().equals("final")).count();
      long events = partitions.stream().mapToLong(line -> line.path("events").asLong()).sum();
      assertEquals(TYPES_SECONDS, events, "catalog");
      MeasuredDaemon.report(
          "%,d types, 3 days of an event a second, %s lanes: partitions".formatted(types, lanes),
          "30,200",
          "%,d, %,d of them final; latest 100 of all %.1f ms; %,.0f MiB resident"
              .formatted(
                  partitions.size(),
                  last,
                  daemon.request("/v1/query?order=desc&limit=100", 40),
                  resident / (1 << 20)));
      return resident;
    }
  }

  @Test
  void theDoctorNamesWhatIsWrong() throws IOException, InterruptedException {
    Map<String, String> keys = new HashMap<>(CHOSEN);
    keys.put("shards.hot", "2"); // where the daemon chooses, no type stays hot
    try (MeasuredDaemon daemon = new MeasuredDaemon(directory.resolve("doctor"), keys);
        PacedSenders quiet = new PacedSenders(daemon.process.port(), "quiet", 100, 1)) {
      for (int i = 0; i < SECONDS; i++) {
        MeasuredDaemon.second();
        assertTrue(found(daemon).isEmpty(), () -> "named on a quiet store: " + quiet.sent());
      }
      MeasuredDaemon.report("the doctor names on a quiet store", "nothing", "nothing");
      long begun = System.nanoTime();
      try (PacedSenders hot = new PacedSenders(daemon.process.port(), "hot", BASE * TIMES, 4)) {
        awaitFinding(daemon, "hot-type", begun);
        assertEquals(0, hot.refused());
      }
      begun = System.nanoTime();
      StringBuilder lines = new StringBuilder();
      for (int i = 0; i < 20; i++) {
        Instant behind = Instant.now().minus(90, ChronoUnit.SECONDS);
        lines.append("{\"ts\":\"%s\",\"type\":\"behind\",\"host\":\"web-7\"}\n".formatted(behind));
        daemon.take(lines.toString());
        lines.setLength(0);
      }
      awaitFinding(daemon, "clock-skew", begun);
    }
  }

  private static List<String> found(MeasuredDaemon daemon)
      throws IOException, InterruptedException {
    return daemon.send("GET", "/v1/admin/doctor").findValuesAsText("code");
  }

  private static void awaitFinding(MeasuredDaemon daemon, String code, long begun)
      throws IOException, InterruptedException {
    Await.until(() -> found(daemon).contains(code), code + " is named");
    MeasuredDaemon.report(
        "the doctor names " + code + " after",
        "10 s",
        "%.1f s".formatted((System.nanoTime() - begun) / 1e9));
  }
}
