package io.widerow.ingest.kafka;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.faults.Await;
import io.widerow.faults.Slice;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.clients.producer.RecordMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/// Goal: measure how fast topics are read. The rate and the processor time of an event are compared
/// with those of the same lines over HTTP, also with bad records. Two more are measured: the time
/// from a producer to a query, and the responses of HTTP senders while a backlog is read. Method: a
/// real broker, and daemons with all compilers, one after the other, each with a new store. It
/// prints the figures, which are those of the machine, and requires only that all is stored.
@Timeout(value = 2, unit = TimeUnit.HOURS)
class KafkaRateTest extends BrokerTest {
  private static final int PARTITIONS = 12;
  private static final int LINES = 1_000; // of a request
  private static final int BODIES = 64;
  private static final int CONNECTIONS = 8;
  private static final int BAD = 1_000; // one record in so many, in a topic of its own
  private static final int POSTS = 50; // a second
  private static final int POST_LINES = 20;
  private static final int PROBES = 50; // a second
  private static final int LIVE = 10_000; // records a second
  private static final Duration LONG = Duration.ofMinutes(30);
  private static final Duration LOOK = Duration.ofMillis(200);
  private static final Pattern PROBE = Pattern.compile("\"body\":\"(\\d+)\"");

  private static final List<String> JVM =
      List.of(
          "-da",
          "-Xmx1g",
          "-XX:-UseSerialGC",
          "-XX:+UseG1GC",
          "-XX:TieredStopAtLevel=4",
          "-cp",
          System.getProperty("java.class.path"));

  private int stores;

  /// Events a second, and microseconds of processor time an event.
  private record Figure(double rate, double micros) {}

  @FunctionalInterface
  private interface Sending {
    void to(KafkaDaemon daemon) throws Exception;
  }

  @Test
  void ratesBesideHttp() throws Exception {
    int records = Slice.of("kafka.rate.records", 20_000, 400_000);
    int rounds = Slice.of("kafka.rate.rounds", 1, 3);
    fill("clean", records, Integer.MAX_VALUE);
    fill("bad", records, BAD);
    broker.create("dead", 1, Map.of());
    long good = records - (records + BAD - 1L) / BAD;
    Map<String, List<Figure>> figures = new LinkedHashMap<>();
    for (int round = 0; round < rounds; round++) {
      add(figures, "HTTP", measure(Map.of(), records, daemon -> post(daemon, records)));
      add(figures, "fields=none", ofTopic("clean?fields=none", records));
      add(figures, "bad", ofTopic("bad?fields=none", good));
      add(figures, "all fields", ofTopic("clean", records));
      add(figures, "letters", ofTopic("clean?fields=none&dead-letter=dead", records));
      add(figures, "bad, letters", ofTopic("bad?fields=none&dead-letter=dead", good));
    }
    figures.forEach((name, all) ->
        System.out.printf(
            "%-12s events/s %s, median %,.0f; us of processor time an event, median %.2f%n",
            name,
            all.stream().map(each -> "%,.0f".formatted(each.rate)).toList(),
            median(all.stream().map(Figure::rate).toList()),
            median(all.stream().map(Figure::micros).toList())));
    assertEquals((records + BAD - 1L) / BAD * rounds, letters("dead").size());
  }

  private static void add(Map<String, List<Figure>> figures, String name, Figure figure) {
    figures.computeIfAbsent(name, _ -> new ArrayList<>()).add(figure);
  }

  private void fill(String topic, int records, int bad) {
    broker.create(topic, PARTITIONS, Map.of());
    byte[][] lines = new byte[BODIES * LINES][];
    Arrays.setAll(lines, i -> utf8(line(i)));
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(
            Map.of("acks", "all", "compression.type", "zstd", "batch.size", "131072"))) {
      for (int i = 0; i < records; i++) {
        byte[] value = i % bad == 0 && bad < records ? utf8("bad " + i) : lines[i % lines.length];
        Future<RecordMetadata> _ =
            producer.send(new ProducerRecord<>(topic, i / LINES % PARTITIONS, null, value));
      }
    }
  }

  private static String line(int i) {
    return """
    {"ts":"2026-01-01T00:%02d:%02d.%03dZ","level":"%s","host":"web-%02d","service":"checkout",\
    "status":%d,"millis":%d,"body":"GET /api/v1/orders/%d answered after %d retries, cache %s"}\
    """
        .formatted(
            i / 60_000 % 60,
            i / 1_000 % 60,
            i % 1_000,
            i % 17 == 0 ? "warn" : "info",
            i * 7 % 40,
            i % 23 == 0 ? 404 : 200,
            i * 31 % 900,
            i * 7_919L % 1_000_003,
            i % 5,
            i % 3 == 0 ? "hit" : "miss");
  }

  private static List<byte[]> bodies(int lines) {
    return IntStream.range(0, BODIES)
        .mapToObj(body -> {
          StringBuilder text = new StringBuilder();
          for (int i = 0; i < lines; i++) {
            text.append(line(body * LINES + i)).append('\n');
          }
          return utf8(text.toString());
        })
        .toList();
  }

  private Figure ofTopic(String source, long events) throws Exception {
    return measure(Map.of("kafka", broker.address() + "/" + source), events, _ -> {});
  }

  private static void post(KafkaDaemon daemon, int records) throws Exception {
    List<byte[]> bodies = bodies(LINES);
    AtomicInteger next = new AtomicInteger();
    List<CompletableFuture<Void>> senders = new ArrayList<>();
    for (int i = 0; i < CONNECTIONS; i++) {
      senders.add(
          CompletableFuture.runAsync(
              () -> {
                int body = next.getAndIncrement();
                while (body < records / LINES) {
                  assertEquals(200, daemon.postLater(bodies.get(body % BODIES)).join());
                  body = next.getAndIncrement();
                }
              },
              task -> Thread.ofPlatform().start(task)));
    }
    for (CompletableFuture<Void> sender : senders) {
      sender.join();
    }
  }

  private KafkaDaemon warm(Map<String, String> keys) throws Exception {
    Map<String, String> all = new HashMap<>(keys);
    all.put("open-bytes", "134217728");
    all.put("journal-file-bytes", "67108864");
    all.put("journal-bytes", "268435456");
    KafkaDaemon daemon = new KafkaDaemon(JVM, directory.resolve("store-" + stores++), all);
    daemon.awaitReady();
    return daemon;
  }

  /// From when a quarter is stored: the JVM has compiled by then what it needs.
  private Figure measure(Map<String, String> keys, long events, Sending sending) throws Exception {
    try (KafkaDaemon daemon = warm(keys)) {
      CompletableFuture<Void> sent =
          CompletableFuture.runAsync(
              () -> {
                try {
                  sending.to(daemon);
                } catch (Exception failed) {
                  throw new AssertionError(failed);
                }
              },
              task -> Thread.ofPlatform().start(task));
      long[] from = await(daemon, events / 4, sent);
      long[] until = await(daemon, events, sent);
      sent.join();
      daemon.awaitNothingOwed();
      assertEquals(events, until[0]);
      double stored = until[0] - (double) from[0];
      return new Figure(
          stored * 1e9 / Math.max(1, until[1] - from[1]), (until[2] - from[2]) / 1e3 / stored);
    }
  }

  /// Stored events, the time, and the processor time of the daemon, once so many are stored.
  private static long[] await(KafkaDaemon daemon, long events, CompletableFuture<Void> sent) {
    long[] seen = new long[3];
    Await.until(
        () -> {
          Await.pause(LOOK);
          if (sent.isCompletedExceptionally()) {
            sent.join();
          }
          seen[0] = daemon.stored();
          seen[1] = System.nanoTime();
          seen[2] = daemon.processorNanos();
          return seen[0] >= events;
        },
        LONG,
        events + " events are stored");
    return seen;
  }

  private static double median(List<Double> values) {
    return quantile(values, 0.5);
  }

  private static double quantile(List<Double> values, double share) {
    List<Double> sorted = values.stream().sorted().toList();
    return sorted.isEmpty()
        ? Double.NaN
        : sorted.get(Math.min(sorted.size() - 1, (int) (share * sorted.size())));
  }

  @Test
  void timeFromAProducerToAReader() throws Exception {
    int seconds = Slice.of("kafka.live.seconds", 2, 20);
    broker.create("live", PARTITIONS, Map.of());
    broker.create("probe", 1, Map.of());
    long[] sentAt = new long[PROBES * seconds];
    List<Double> millis = new ArrayList<>();
    try (KafkaDaemon daemon = warm(Map.of("kafka", broker.address() + "/live,probe"))) {
      daemon.await("probe", "\"state\":\"reading\"");
      AtomicInteger sent = new AtomicInteger();
      CompletableFuture<Void> sender =
          CompletableFuture.runAsync(
              () -> sendLive(seconds, sentAt, sent), task -> Thread.ofPlatform().start(task));
      int seen = 0; // probes
      long until = System.nanoTime() + LONG.toNanos();
      while (seen < sentAt.length && System.nanoTime() < until) {
        String found = daemon.get("/v1/query?type=probe&since=1h&order=desc&limit=1");
        long now = System.nanoTime();
        Matcher newest = PROBE.matcher(found);
        int count = newest.find() ? Integer.parseInt(newest.group(1)) + 1 : 0;
        for (; seen < count; seen++) {
          if (seen >= sentAt.length / 4) { // the JVM is warm
            millis.add((now - sentAt[seen]) / 1e6);
          }
        }
        Await.pause(Duration.ofMillis(10)); // queries take processor time from the daemon
      }
      sender.join();
      assertEquals(sentAt.length, seen);
    }
    System.out.printf(
        "%,d records/s, ms from the producer to a query: median %.1f, p99 %.1f, most %.1f%n",
        LIVE, median(millis), quantile(millis, 0.99), Collections.max(millis));
  }

  private void sendLive(int seconds, long[] sentAt, AtomicInteger sent) {
    try (KafkaProducer<byte[], byte[]> producer =
        broker.producer(Map.of("acks", "all", "linger.ms", "0"))) {
      long start = System.nanoTime();
      for (int i = 0; i < LIVE * seconds; i++) {
        Await.pauseNanos(start + i * (1_000_000_000L / LIVE) - System.nanoTime());
        if (i % (LIVE / PROBES) == 0) {
          int probe = sent.getAndIncrement();
          sentAt[probe] = System.nanoTime();
          Future<RecordMetadata> _ =
              producer.send(new ProducerRecord<>("probe", 0, null, utf8(json(probe))));
        }
        Future<RecordMetadata> _ =
            producer.send(new ProducerRecord<>("live", i % PARTITIONS, null, utf8(line(i))));
      }
    }
  }

  @Test
  void sendersBesideABacklog() throws Exception {
    int records = Slice.of("kafka.rate.records", 20_000, 400_000);
    int seconds = Slice.of("kafka.live.seconds", 2, 20);
    fill("clean", records, Integer.MAX_VALUE);
    broker.create("none", 1, Map.of());
    for (String topic : List.of("none", "clean")) {
      Map<String, String> keys = Map.of("kafka", broker.address() + "/" + topic);
      try (KafkaDaemon daemon = warm(keys)) {
        List<Double> millis = Collections.synchronizedList(new ArrayList<>());
        long left = postSteadily(daemon, seconds, millis);
        System.out.printf(
            "HTTP senders while topic %s is read: %d responses, median %.1f ms, p99 %.1f ms;"
                + " %,d records left%n",
            topic, millis.size(), median(millis), quantile(millis, 0.99), left);
      }
    }
  }

  /// Posts small bodies at their times, whatever the responses do, and returns the lag at the end.
  private static long postSteadily(KafkaDaemon daemon, int seconds, List<Double> millis)
      throws Exception {
    List<byte[]> bodies = bodies(POST_LINES);
    List<CompletableFuture<Void>> responses = new ArrayList<>();
    long start = System.nanoTime();
    for (int i = 0; i < POSTS * seconds; i++) {
      long due = start + i * (1_000_000_000L / POSTS);
      Await.pauseNanos(due - System.nanoTime());
      boolean isWarm = i >= POSTS * seconds / 4;
      responses.add(
          daemon
              .postLater(bodies.get(i % BODIES))
              .thenAccept(status -> {
                assertEquals(200, status);
                if (isWarm) {
                  millis.add((System.nanoTime() - due) / 1e6);
                }
              }));
    }
    String lines = daemon.get("/v1/kafka");
    for (CompletableFuture<Void> response : responses) {
      response.join();
    }
    return KafkaDaemon.sum("lag", lines);
  }
}
