package io.widerow.ingest.kafka;

import io.widerow.faults.Await;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.LocalStore;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.BufferedReader;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalLong;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/// A daemon that reads topics, as a process of its own.
///
/// - Threads: one.
final class KafkaDaemon implements AutoCloseable {
  private static final HttpClient CLIENT = HttpClient.newHttpClient();

  private static final Pattern ACCEPTED =
      Pattern.compile("(?m)^widerow_events_accepted_total\\{[^}]*} ([0-9.E+]+)$");

  private final long startedNanos = System.nanoTime();
  private final Process process;
  private final int port;

  /// From the start of the process until it was ready.
  final long readyMillis;

  /// A daemon with these keys.
  KafkaDaemon(Path data, Map<String, String> keys) throws IOException {
    this(List.of(), data, keys);
  }

  /// @param more keys, as `name=value`
  KafkaDaemon(Path data, String kafka, String... more) throws IOException {
    this(data, keys(kafka, more));
  }

  /// The same in a JVM with an option more.
  static KafkaDaemon withOption(String option, Path data, String kafka) throws IOException {
    return new KafkaDaemon(List.of(option), data, Map.of("kafka", kafka));
  }

  private static Map<String, String> keys(String kafka, String[] more) {
    Map<String, String> keys = keys(more);
    keys.put("kafka", kafka);
    return keys;
  }

  private static Map<String, String> keys(String[] more) {
    Map<String, String> keys = new HashMap<>();
    for (String key : more) {
      int equals = key.indexOf('=');
      keys.put(key.substring(0, equals), key.substring(equals + 1));
    }
    return keys;
  }

  private KafkaDaemon(List<String> options, Path data, Map<String, String> keys)
      throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    command.addAll(options);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-Dslf4j.provider=org.slf4j.jul.JULServiceProvider", "-ea", "-cp"));
    command.add(System.getProperty("java.class.path"));
    command.addAll(List.of(KafkaDaemon.class.getName(), data.toString()));
    keys.forEach((name, value) -> command.add(name + "=" + value));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    String line = out.readLine();
    if (line == null) {
      throw new IOException("the daemon has ended");
    }
    port = Integer.parseInt(line);
    readyMillis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
  }

  /// The process.
  ///
  /// @param arguments directory of the store, then `key=value` each
  public static void main(String[] arguments) throws InterruptedException {
    String[] more = Arrays.copyOfRange(arguments, 1, arguments.length);
    DaemonConfig config = config(Path.of(arguments[0]), keys(more));
    CountDownLatch stop = new CountDownLatch(1);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(() -> {
              stop.countDown();
              try {
                stopped.await();
              } catch (InterruptedException interrupted) {
                Thread.currentThread().interrupt();
              }
            }));
    try (EventStore store =
            config.cluster().isOn() ? ClusterStore.open(config) : LocalStore.open(config);
        Daemon daemon = Daemon.start(config, store)) {
      System.out.println(daemon.httpAddress().getPort());
      daemon.awaitStop(stop, System.err::println);
    } finally {
      stopped.countDown();
    }
  }

  /// A small daemon with these keys.
  static DaemonConfig config(Path data, Map<String, String> more) {
    Map<String, String> keys = new HashMap<>();
    keys.put("data", data.toString());
    keys.put("http", "127.0.0.1:0");
    keys.put("lanes", "2");
    keys.put("open-bytes", "8388608");
    keys.put("journal-file-bytes", "1048576");
    keys.put("journal-bytes", "4194304");
    keys.put("disk-reserve-bytes", "0");
    keys.putAll(more);
    return DaemonConfig.of(keys);
  }

  /// The number of partitions that are read.
  static int count(String lines) {
    return (int) lines.lines().filter(line -> line.contains("\"state\":\"reading\"")).count();
  }

  String get(String path) throws IOException, InterruptedException {
    return get(port, path);
  }

  static String get(int port, String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path)).build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /// Sends a body, and returns the status.
  int post(String path, String body) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .header("content-type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofString(body))
            .build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).statusCode();
  }

  /// Waits until `GET /v1/kafka` has this part.
  void await(String part) {
    Await.until(() -> get("/v1/kafka").contains(part), "/v1/kafka has " + part);
  }

  /// Waits until the line of a partition of this topic has this part.
  void await(String topic, String part) {
    Await.until(
        () ->
            get("/v1/kafka")
                .lines()
                .anyMatch(
                    line -> line.contains("\"topic\":\"" + topic + "\"") && line.contains(part)),
        topic + " has " + part);
  }

  /// Waits until all dead letters are written.
  void awaitNothingOwed() {
    Await.until(
        () -> get("/v1/kafka").lines().allMatch(line -> line.contains("\"owed\":0,")),
        "all dead letters are written");
  }

  /// Waits until `GET /v1/status` has this part.
  void awaitStatus(String part) {
    AtomicReference<String> last = new AtomicReference<>("");
    try {
      Await.until(
          () -> {
            last.set(get("/v1/status"));
            return last.get().contains(part);
          },
          "/v1/status has " + part);
    } catch (AssertionError late) {
      throw new AssertionError(last.get(), late);
    }
  }

  /// Waits until all that is in the topics is durable.
  ///
  /// @param next the sum of the offsets up to which the partitions are read
  void awaitNext(long next) {
    Await.until(() -> sumOfNext() >= next, next + " offsets are read");
  }

  /// Waits until it has stored a record, or the offsets are read to this sum.
  ///
  /// @return milliseconds since its process was started; empty when it had stored none
  OptionalLong firstStoredMillis(long sum) throws IOException, InterruptedException {
    Await.until(() -> hasStored() || sumOfNext() >= sum, "a record is stored");
    long now = System.nanoTime();
    return hasStored()
        ? OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(now - startedNanos))
        : OptionalLong.empty();
  }

  private boolean hasStored() throws IOException, InterruptedException {
    return ACCEPTED
        .matcher(get("/metrics"))
        .results()
        .anyMatch(number -> Double.parseDouble(number.group(1)) > 0);
  }

  long sumOfNext() throws IOException, InterruptedException {
    long sum = 0;
    var numbers = Pattern.compile("\"next\":(\\d+)").matcher(get("/v1/kafka"));
    while (numbers.find()) {
      sum += Long.parseLong(numbers.group(1));
    }
    return sum;
  }

  void kill() {
    process.destroyForcibly().onExit().join();
  }

  /// Stops it as a supervisor does.
  void stop() {
    process.toHandle().destroy();
    process.onExit().join();
  }

  @Override
  public void close() {
    kill();
  }
}
