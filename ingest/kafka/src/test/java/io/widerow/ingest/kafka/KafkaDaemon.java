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
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.regex.Pattern;

/// A daemon that reads topics, as a process of its own.
///
/// - Threads: one.
final class KafkaDaemon implements AutoCloseable {
  private static final HttpClient CLIENT =
      HttpClient.newBuilder().connectTimeout(Broker.PATIENCE).build();

  private static final List<String> JVM = List.of("-cp", System.getProperty("java.class.path"));

  private static final Pattern ACCEPTED =
      Pattern.compile("(?m)^widerow_events_accepted_total\\{[^}]*} ([0-9.E+]+)$");

  private static final Pattern NEXT = Pattern.compile("\"topic\":\"([^\"]*)\".*?\"next\":(\\d+)");

  private final long startedNanos = System.nanoTime();
  private final Process process;
  private final CompletableFuture<Ready> ready = new CompletableFuture<>();

  /// Its port, and milliseconds from the start of the process.
  private record Ready(int port, long millis) {}

  /// A daemon with these keys that is ready.
  KafkaDaemon(Path data, Map<String, String> keys) throws IOException {
    this(JVM, data, keys);
    awaitReady();
  }

  /// @param more keys, as `name=value`
  KafkaDaemon(Path data, String kafka, String... more) throws IOException {
    this(data, keys(kafka, more));
  }

  /// The same in a JVM with an option more.
  static KafkaDaemon withOption(String option, Path data, Map<String, String> keys)
      throws IOException {
    List<String> jvm = new ArrayList<>(JVM);
    jvm.addFirst(option);
    KafkaDaemon daemon = new KafkaDaemon(jvm, data, keys);
    daemon.awaitReady();
    return daemon;
  }

  /// A daemon that is not ready yet.
  ///
  /// @param jvm options, the class path included
  KafkaDaemon(List<String> jvm, Path data, Map<String, String> keys) throws IOException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
        .filter(argument -> argument.startsWith("--"))
        .forEach(command::add);
    command.addAll(List.of("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"));
    command.addAll(List.of("-Dslf4j.provider=org.slf4j.jul.JULServiceProvider", "-ea"));
    command.addAll(jvm);
    command.addAll(List.of(KafkaDaemon.class.getName(), data.toString()));
    keys.forEach((name, value) -> command.add(name + "=" + value));
    process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    Thread _ = Thread.ofVirtual().start(this::readPort);
  }

  private void readPort() {
    BufferedReader out = process.inputReader(StandardCharsets.UTF_8);
    try {
      String line = out.readLine();
      long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
      if (line == null) {
        throw new IOException("the daemon has ended");
      }
      ready.complete(new Ready(Integer.parseInt(line), millis));
    } catch (IOException | NumberFormatException failed) {
      ready.completeExceptionally(failed);
    }
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

  void awaitReady() {
    Await.until(ready::isDone, Broker.PATIENCE, "the daemon is ready");
    ready.join();
  }

  /// Fails when it has ended, although nobody has stopped it.
  void requireAlive() throws IOException {
    if (!process.isAlive()) {
      throw new IOException("a daemon has ended by itself: " + process.exitValue());
    }
  }

  boolean isReady() {
    return ready.isDone() && !ready.isCompletedExceptionally();
  }

  /// From the start of the process until it was ready.
  long readyMillis() {
    return ready.join().millis;
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
    return get(ready.join().port, path);
  }

  static String get(int port, String path) throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
            .timeout(Broker.PATIENCE)
            .build();
    return CLIENT.send(request, HttpResponse.BodyHandlers.ofString()).body();
  }

  /// Sends a body, and returns the status.
  int post(String path, String body) {
    return post(path, body.getBytes(StandardCharsets.UTF_8), "").join();
  }

  /// Sends JSON lines of the type `http`, for the status of the response. A body that was sent
  /// before is no retry: each request has a key of its own.
  CompletableFuture<Integer> postLater(byte[] lines) {
    return post("/v1/events?type=http", lines, UUID.randomUUID().toString());
  }

  private CompletableFuture<Integer> post(String path, byte[] body, String key) {
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + ready.join().port + path))
            .timeout(Broker.PATIENCE)
            .header("content-type", "application/x-ndjson")
            .POST(HttpRequest.BodyPublishers.ofByteArray(body));
    if (!key.isEmpty()) {
      request.header("Idempotency-Key", key);
    }
    return CLIENT
        .sendAsync(request.build(), HttpResponse.BodyHandlers.discarding())
        .thenApply(HttpResponse::statusCode);
  }

  /// Waits until `GET /v1/kafka` has this part.
  void await(String part) {
    Await.until(() -> get("/v1/kafka").contains(part), Broker.PATIENCE, "/v1/kafka has " + part);
  }

  /// Waits until the line of a partition of this topic has this part.
  void await(String topic, String part) {
    Await.until(
        () ->
            get("/v1/kafka")
                .lines()
                .anyMatch(
                    line -> line.contains("\"topic\":\"" + topic + "\"") && line.contains(part)),
        Broker.PATIENCE,
        topic + " has " + part);
  }

  /// Waits until all dead letters are written.
  void awaitNothingOwed() {
    Await.until(
        () -> get("/v1/kafka").lines().allMatch(line -> line.contains("\"owed\":0,")),
        Broker.PATIENCE,
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
          Broker.PATIENCE,
          "/v1/status has " + part);
    } catch (AssertionError late) {
      throw new AssertionError(last.get(), late);
    }
  }

  /// Waits until all that is in the topics is durable.
  ///
  /// @param next the sum of the offsets up to which the partitions are read
  void awaitNext(long next) {
    AtomicReference<String> last = new AtomicReference<>("");
    try {
      Await.until(
          () -> {
            last.set(get("/v1/kafka"));
            return sumOfNext(last.get(), "") >= next;
          },
          Broker.PATIENCE,
          next + " offsets are read");
    } catch (AssertionError late) {
      throw new AssertionError(sumOfNext(last.get(), "") + " are read: " + last.get(), late);
    }
  }

  /// Milliseconds since its process was started.
  long millis() {
    return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startedNanos);
  }

  /// The events that it has stored since its start.
  long stored() throws IOException, InterruptedException {
    return (long)
        ACCEPTED
            .matcher(get("/metrics"))
            .results()
            .mapToDouble(number -> Double.parseDouble(number.group(1)))
            .sum();
  }

  /// The processor time that its process has taken.
  long processorNanos() {
    return process.info().totalCpuDuration().orElse(Duration.ZERO).toNanos();
  }

  long sumOfNext() throws IOException, InterruptedException {
    return sumOfNext("");
  }

  /// The sum of the offsets up to which the partitions of a topic are read.
  ///
  /// @param topic beginning of its name
  long sumOfNext(String topic) throws IOException, InterruptedException {
    return sumOfNext(get("/v1/kafka"), topic);
  }

  /// The sum of a number of the lines of `/v1/kafka`.
  static long sum(String name, String lines) {
    return Pattern.compile("\"" + name + "\":(\\d+)")
        .matcher(lines)
        .results()
        .mapToLong(number -> Long.parseLong(number.group(1)))
        .sum();
  }

  private static long sumOfNext(String lines, String topic) {
    return NEXT.matcher(lines)
        .results()
        .filter(line -> line.group(1).startsWith(topic))
        .mapToLong(line -> Long.parseLong(line.group(2)))
        .sum();
  }

  /// Sends a signal to the process, such as `STOP`.
  void signal(String name) throws IOException, InterruptedException {
    Process sent = new ProcessBuilder("kill", "-" + name, Long.toString(process.pid())).start();
    if (sent.waitFor() != 0) {
      throw new IOException("no signal " + name);
    }
  }

  void kill() {
    process.destroyForcibly();
    awaitEnd();
  }

  /// Stops it as a supervisor does.
  void stop() {
    process.toHandle().destroy();
    awaitEnd();
  }

  private void awaitEnd() {
    Await.until(() -> !process.isAlive(), Broker.PATIENCE, "the daemon has ended");
  }

  @Override
  public void close() {
    kill();
  }
}
