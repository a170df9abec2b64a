package io.widerow.ingest.serve.prometheus;

import static io.widerow.ingest.decode.ProtobufBytes.join;
import static io.widerow.ingest.serve.prometheus.RemoteRead.chunkRequest;
import static io.widerow.ingest.serve.prometheus.RemoteRead.hints;
import static io.widerow.ingest.serve.prometheus.RemoteRead.matcher;
import static io.widerow.ingest.serve.prometheus.RemoteRead.query;
import static io.widerow.ingest.serve.prometheus.RemoteRead.request;
import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.receive.prometheus.Messages;
import io.widerow.ingest.serve.prometheus.RemoteRead.Sample;
import io.widerow.ingest.serve.prometheus.RemoteRead.Series;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: remote read shows exactly the samples that remote write brought, for any matchers and any
/// range, in both forms of answers. Method: generated series compared with a map, and matchers with
/// a plain interpreter; answers are read by libraries of others.
class RemoteReadTest {
  private static final String PATH = "/api/v1/read";
  private static final String WRITE = "/api/v1/write";
  private static final long BASE = 1_700_000_000_000L;
  private static final long STEP = 15_000;
  private static final int STEPS = 150;
  private static final int QUESTIONS = Integer.getInteger("read.queries", 15);
  private static final List<String> NAMES =
      List.of(
          "job",
          "code",
          "instance",
          "value",
          "type",
          "id",
          "start",
          "stale",
          "body",
          "status_code",
          "Zone");
  private static final List<String> VALUES =
      List.of("a", "b", "api", "200", "404", "500", "true", "x y", "ü", "1.50");
  private static final List<String> REGEXES =
      List.of("", ".*", ".+", "a|b", "a.*", "[24]0.", "(a|api)?", "2.0|", "x\\sy", "ü", "tr.e");

  @TempDir private Path directory = Path.of(".");

  static List<Long> seeds() {
    return Seeds.of(Slice.of(1, 2));
  }

  /// The written samples: the bits of each value, by labels and time.
  private static final class Model {
    final Map<Map<String, String>, TreeMap<Long, Long>> series = new LinkedHashMap<>();

    List<Series> answer(List<Condition> matchers, long start, long end) {
      List<Series> kept = new ArrayList<>();
      series.forEach((labels, samples) -> {
        List<Sample> within = new ArrayList<>();
        samples
            .subMap(start, true, end, true)
            .forEach((millis, bits) -> within.add(new Sample(millis, bits)));
        if (!within.isEmpty() && matchers.stream().allMatch(each -> each.keeps(labels))) {
          kept.add(new Series(labels, within));
        }
      });
      kept.sort((one, other) -> compare(one.labels(), other.labels()));
      return kept;
    }

    private static int compare(Map<String, String> one, Map<String, String> other) {
      List<String> mine = parts(one);
      List<String> theirs = parts(other);
      for (int i = 0; i < Math.min(mine.size(), theirs.size()); i++) {
        int order = mine.get(i).compareTo(theirs.get(i));
        if (order != 0) {
          return order;
        }
      }
      return Integer.compare(mine.size(), theirs.size());
    }

    private static List<String> parts(Map<String, String> labels) {
      List<String> parts = new ArrayList<>();
      labels.forEach((name, value) -> {
        parts.add(name);
        parts.add(value);
      });
      return parts;
    }
  }

  /// A matcher, plainly interpreted.
  private record Condition(int type, String name, String value) {
    boolean keeps(Map<String, String> labels) {
      String text = labels.getOrDefault(name, "");
      return switch (type) {
        case 0 -> text.equals(value);
        case 1 -> !text.equals(value);
        case 2 -> Pattern.compile(value, Pattern.DOTALL).matcher(text).matches();
        default -> !Pattern.compile(value, Pattern.DOTALL).matcher(text).matches();
      };
    }
  }

  private static <T> T any(List<T> all, SplittableRandom random) {
    return all.get(random.nextInt(all.size()));
  }

  private static double value(SplittableRandom random) {
    return switch (random.nextInt(12)) {
      case 0 -> Double.longBitsToDouble(RemoteRead.STALE);
      case 1 -> Double.longBitsToDouble(0x7ff8_0000_0000_0001L);
      case 2 -> Double.POSITIVE_INFINITY;
      case 3 -> 0;
      case 4 -> -0.0;
      default -> random.nextInt(3) == 0 ? random.nextDouble() : random.nextInt(1_000);
    };
  }

  /// Writes series in two requests, sealed between them. Some samples are sent twice, with another
  /// value: the last counts.
  private static Model write(OperatedDaemon daemon, SplittableRandom random)
      throws IOException, InterruptedException {
    Model model = new Model();
    List<Map<String, String>> all = new ArrayList<>();
    for (int i = 0; i < 24; i++) {
      Map<String, String> labels = new TreeMap<>();
      labels.put("__name__", any(List.of("up", "http_requests_total", "a:b", "up_count"), random));
      for (String name : NAMES) {
        if (random.nextInt(3) == 0) {
          labels.put(name, any(VALUES, random));
        }
      }
      if (!all.contains(labels)) {
        all.add(labels);
      }
    }
    for (int half = 0; half < 2; half++) {
      List<byte[]> request = new ArrayList<>();
      for (Map<String, String> labels : all) {
        List<byte[]> parts = new ArrayList<>();
        labels.forEach((name, value) -> parts.add(Messages.label(name, value)));
        TreeMap<Long, Long> samples = model.series.computeIfAbsent(labels, _ -> new TreeMap<>());
        for (int i = 0; i < STEPS; i++) {
          int step = half * STEPS + i - (random.nextInt(50) == 0 && half == 1 ? STEPS : 0);
          if (random.nextInt(10) > 0) {
            long millis = BASE + step * STEP;
            double value = value(random);
            parts.add(Messages.sample(value, millis));
            samples.put(millis, Double.doubleToRawLongBits(value));
          }
        }
        request.add(Messages.series(parts.toArray(byte[][]::new)));
      }
      byte[] body = Messages.packed(join(request.toArray(byte[][]::new)));
      HttpResponse<String> answer = daemon.http.post(WRITE, RemoteRead.TYPE, body);
      assertEquals(204, answer.statusCode(), answer.body());
      if (half == 0) {
        daemon.merge();
      }
    }
    return model;
  }

  private static Condition generated(SplittableRandom random) {
    int type = random.nextInt(4);
    boolean ofName = random.nextInt(3) == 0;
    String name = ofName ? "__name__" : random.nextInt(20) == 0 ? "none" : any(NAMES, random);
    String value =
        type >= 2
            ? ofName
                ? any(List.of("up.*", ".+", "http.*|a:b", ".*_count"), random)
                : any(REGEXES, random)
            : ofName
                ? any(List.of("up", "a:b", "up_count", ""), random)
                : random.nextInt(8) == 0 ? "" : any(VALUES, random);
    return new Condition(type, name, value);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void seriesAreThoseThatWereWritten(long seed) throws IOException, InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "2"))) {
      Model model = write(daemon, random);
      long samples = 0;
      for (int i = 0; i < QUESTIONS; i++) {
        List<Condition> matchers =
            Stream.generate(() -> generated(random)).limit(random.nextInt(4)).toList();
        long start = BASE + random.nextLong(-2 * STEP, 2 * STEPS * STEP);
        long end = start + random.nextLong(2 * STEPS * STEP);
        byte[][] parts =
            matchers.stream()
                .map(each -> matcher(each.type, each.name, each.value))
                .toArray(byte[][]::new);
        byte[] one = query(start, end, parts);
        byte[] other = query(start + STEP, end + STEP, parts);
        List<List<Series>> wanted =
            List.of(
                model.answer(matchers, start, end),
                model.answer(matchers, start + STEP, end + STEP));
        String shown = "question %d: %s %d to %d".formatted(i, matchers, start, end);
        assertSeries(wanted, RemoteRead.samples(ask(daemon, request(one, other))), shown);
        assertSeries(wanted, RemoteRead.chunks(ask(daemon, chunkRequest(one, other)), 2), shown);
        samples += wanted.getFirst().stream().mapToLong(series -> series.samples().size()).sum();
      }
      assertTrue(samples > 1_000, "most questions find something: " + samples);
    }
  }

  private static void assertSeries(
      List<List<Series>> wanted, List<List<Series>> answered, String shown) {
    assertEquals(wanted, answered, shown);
    for (List<Series> result : answered) { // maps are equal in any order
      for (Series series : result) {
        assertEquals(
            List.copyOf(new TreeMap<>(series.labels()).keySet()),
            List.copyOf(series.labels().keySet()),
            shown);
      }
    }
  }

  private static byte[] ask(OperatedDaemon daemon, byte[] request)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer =
        daemon.http.exchange(PATH, RemoteRead.TYPE, request, "content-encoding", "snappy");
    assertEquals(200, answer.statusCode(), () -> new String(answer.body(), UTF_8));
    return answer.body();
  }

  @Test
  void hintsNarrowTheRange() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      Model model = write(daemon, new SplittableRandom(1));
      long end = BASE + 40 * STEP;
      byte[] narrow = query(0, Long.MAX_VALUE, hints(BASE + 5 * STEP, end));
      List<List<Series>> wanted = List.of(model.answer(List.of(), BASE + 5 * STEP, end));
      assertSeries(wanted, RemoteRead.samples(ask(daemon, request(narrow))), "hints");
      byte[] apart = query(BASE, end, hints(end + 1, end + 2));
      assertEquals(List.of(List.of()), RemoteRead.samples(ask(daemon, request(apart))));
    }
  }

  /// Series whose names show alike to a Prometheus before 3 are never one.
  @Test
  void namesThatShowAlikeStayApart() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      StringBuilder lines = new StringBuilder();
      int value = 0;
      for (String type : List.of("r13.load", "r13_load", "a.b", "a-b", "only.one")) {
        for (String label : List.of("k8s.pod", "k8s_pod")) {
          lines.append(
              "{\"ts\":\"2023-11-14T22:13:20Z\",\"type\":\"%s\",\"value\":%d,\"%s\":\"x\"}%n"
                  .formatted(type, ++value, label));
        }
      }
      assertEquals(
          200,
          daemon.http.post("/v1/events", "application/x-ndjson", lines.toString()).statusCode());
      assertEquals(
          List.of("{__name__=r13_load, k8s.pod=x} 3.0", "{__name__=r13_load, k8s_pod=x} 4.0"),
          named(daemon, 0, "r13_load"));
      assertEquals(
          List.of("{__name__=r13.load, k8s.pod=x} 1.0", "{__name__=r13.load, k8s_pod=x} 2.0"),
          named(daemon, 0, "r13.load"));
      assertEquals(
          List.of("{__name__=only_one, k8s_pod=x} 10.0"),
          named(daemon, 0, "only_one").stream().filter(each -> each.contains("k8s_")).toList());
      assertEquals(10, named(daemon, 2, ".*").size());
      byte[] query = query(0, Long.MAX_VALUE, matcher(0, "__name__", "a_b"));
      HttpResponse<byte[]> answer =
          daemon.http.exchange(PATH, RemoteRead.TYPE, request(query), "content-encoding", "snappy");
      assertEquals(400, answer.statusCode());
      String reason = new String(answer.body(), UTF_8);
      assertTrue(reason.contains("several metrics show as it, got a_b"), reason);
    }
  }

  private static List<String> named(OperatedDaemon daemon, int kind, String name)
      throws IOException, InterruptedException {
    byte[] query = query(0, Long.MAX_VALUE, matcher(kind, "__name__", name));
    return RemoteRead.samples(ask(daemon, request(query))).getFirst().stream()
        .map(RemoteReadTest::shown)
        .toList();
  }

  /// OTLP keeps a histogram in one event, and other clients send metrics with other names.
  @Test
  void eventsOfOthersAreSeriesToo() throws IOException, InterruptedException {
    try (OperatedDaemon daemon = new OperatedDaemon(directory, Map.of("lanes", "1"))) {
      String histogram =
          """
          {"resourceMetrics":[{"resource":{"attributes":[
            {"key":"service.name","value":{"stringValue":"shop"}}]},
           "scopeMetrics":[{"metrics":[
            {"name":"http.latency","unit":"s","histogram":{"aggregationTemporality":2,"dataPoints":[
             {"timeUnixNano":"1700000000000000000","count":"6","sum":7.5,"bucketCounts":[1,2,3],
              "explicitBounds":[0.5,2],"attributes":[
               {"key":"http.status_code","value":{"intValue":"200"}}]}]}},
            {"name":"http.size","summary":{"dataPoints":[
             {"timeUnixNano":"1700000000000000000","count":"2","sum":3,"quantileValues":[
               {"quantile":0.5,"value":1.5}]}]}},
            {"name":"busy","sum":{"aggregationTemporality":2,"isMonotonic":true,"dataPoints":[
             {"timeUnixNano":"1700000000000400000","asInt":"7"}]}}]}]}]}
          """;
      assertEquals(
          200, daemon.http.post("/v1/metrics", "application/json", histogram).statusCode());
      String log =
          "{\"ts\":\"2023-11-14T22:13:20Z\",\"type\":\"log\",\"body\":\"x\",\"count\":3}\n";
      assertEquals(200, daemon.http.post("/v1/events", "application/x-ndjson", log).statusCode());
      List<Series> all =
          RemoteRead.samples(ask(daemon, request(query(0, Long.MAX_VALUE)))).getFirst();
      assertEquals(
          List.of(
              "{__name__=busy_total, job=shop, service_name=shop} 7.0",
              latency("bucket", ", le=+Inf") + " 6.0",
              latency("bucket", ", le=0.5") + " 1.0",
              latency("bucket", ", le=2") + " 3.0",
              latency("count", "") + " 6.0",
              latency("sum", "") + " 7.5",
              "{__name__=http_size, job=shop, quantile=0.5, service_name=shop} 1.5",
              "{__name__=http_size_count, job=shop, service_name=shop} 2.0",
              "{__name__=http_size_sum, job=shop, service_name=shop} 3.0",
              "{__name__=log_count} 3.0"),
          all.stream().map(RemoteReadTest::shown).toList());
      byte[] bucket =
          query(
              BASE,
              BASE,
              matcher(0, "__name__", "http_latency_seconds_bucket"),
              matcher(2, "le", "2|5"));
      List<Series> some = RemoteRead.samples(ask(daemon, request(bucket))).getFirst();
      assertEquals(1, some.size());
      assertEquals("2", some.getFirst().labels().get("le"));
    }
  }

  private static String latency(String suffix, String label) {
    return "{__name__=http_latency_seconds_%s, http_status_code=200, job=shop%s, service_name=shop}"
        .formatted(suffix, label);
  }

  private static String shown(Series series) {
    assertEquals(1, series.samples().size());
    assertEquals(BASE, series.samples().getFirst().millis());
    return series.labels() + " " + Double.longBitsToDouble(series.samples().getFirst().bits());
  }
}
