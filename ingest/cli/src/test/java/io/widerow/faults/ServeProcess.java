package io.widerow.faults;

import io.widerow.cli.Main;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The daemon as a separate process, with the class path and the JVM options of this one.
public final class ServeProcess implements AutoCloseable {
  /// The exit code of a daemon whose disk has failed.
  public static final int FAILED = 74;

  private static final int FULL = 73;

  private static final Pattern ADDRESS = Pattern.compile("http on /127\\.0\\.0\\.1:(\\d+)");

  private static final HttpClient CLIENT =
      HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

  /// Blocks of such events are large, and all that overlap in time are open at once.
  private static final int QUERY_MEMORY_FOR_LARGE_GROUPS = 300 << 20;

  private final Process process;
  private final Path log;
  private final int port;

  private ServeProcess(Process process, Path log, int port) {
    this.process = process;
    this.log = log;
    this.port = port;
  }

  /// Arguments for journal files and rows so small that each fault overlaps sealing, merging and a
  /// change of journal file.
  public static String[] small(long reserveBytes) {
    return sizes(reserveBytes, 4 << 20, 1 << 20, 4 << 20);
  }

  /// The same with room for groups of 3 MiB, which are kept as several frames.
  public static String[] smallForLargeGroups(long reserveBytes) {
    return Stream.concat(
            Stream.of(sizes(reserveBytes, 24 << 20, 8 << 20, 24 << 20)),
            Stream.of("--set", "query-memory-bytes=" + QUERY_MEMORY_FOR_LARGE_GROUPS))
        .toArray(String[]::new);
  }

  private static String[] sizes(long reserve, int open, int journalFile, int journal) {
    Map<String, String> keys = new LinkedHashMap<>();
    keys.put("lanes", "2");
    keys.put("open-bytes", Integer.toString(open));
    keys.put("journal-file-bytes", Integer.toString(journalFile));
    keys.put("journal-bytes", Integer.toString(journal));
    keys.put("merge-after", "1s");
    keys.put("disk-reserve-bytes", Long.toString(reserve));
    return keys.entrySet().stream()
        .flatMap(key -> Stream.of("--set", key.getKey() + "=" + key.getValue()))
        .toArray(String[]::new);
  }

  /// Starts a daemon and waits until it is ready.
  public static ServeProcess start(Path data, String... more) throws IOException {
    return startUnder(List.of(), data.toAbsolutePath().resolveSibling("").normalize(), data, more);
  }

  /// The same under another program; the daemon's command line is the end of that program's.
  public static ServeProcess startUnder(List<String> program, Path logs, Path data, String... more)
      throws IOException {
    return start(program, List.of(), logs, data, more);
  }

  /// The same, with other JVM options than this process.
  public static ServeProcess startWith(List<String> jvm, Path data, String... more)
      throws IOException {
    Path logs = data.toAbsolutePath().resolveSibling("").normalize();
    return start(List.of(), jvm, logs, data, more);
  }

  private static ServeProcess start(
      List<String> program, List<String> jvm, Path logs, Path data, String... more)
      throws IOException {
    Path log = Files.createTempFile(logs, "serve", ".log");
    return ready(launch(program, jvm, data, log, more), log);
  }

  /// Starts a daemon on the prepared JVM, and waits until it is ready.
  public static ServeProcess start(QuickJvm jvm, Path data, String... more) throws IOException {
    return startLogging(jvm, data.toAbsolutePath().resolveSibling("").normalize(), data, more);
  }

  /// The same, with its log in another directory, whose disk does not fail.
  public static ServeProcess startLogging(QuickJvm jvm, Path logs, Path data, String... more)
      throws IOException {
    Path log = Files.createTempFile(logs, "serve", ".log");
    return ready(launch(jvm, data, log, more), log);
  }

  /// Starts a daemon on the prepared JVM under another program.
  ///
  /// @return null when it ended before it was ready, which is allowed when the disk failed or was
  ///   full
  public static @Nullable ServeProcess startOrFail(
      List<String> program, QuickJvm jvm, Path logs, Path data, String... more) throws IOException {
    List<String> command = new ArrayList<>(program);
    command.addAll(jvm.command());
    Path log = Files.createTempFile(logs, "serve", ".log");
    Process process = launchCommand(command, data, log, more);
    try {
      return ready(process, log);
    } catch (EndedException ended) {
      if (process.exitValue() != FAILED && process.exitValue() != FULL) {
        throw ended;
      }
      return null;
    }
  }

  /// The daemon ended before it was ready.
  public static final class EndedException extends IOException {
    private static final long serialVersionUID = 1;

    EndedException(String message) {
      super(message);
    }
  }

  private static ServeProcess ready(Process process, Path log) throws IOException {
    Await.until(
        () -> read(log).contains("; ready") || !process.isAlive(),
        Duration.ofMinutes(10), // a large journal is read again
        "the daemon is ready");
    if (!read(log).contains("; ready")) {
      throw new EndedException("ended with %d: %s".formatted(process.exitValue(), read(log)));
    }
    Matcher address = ADDRESS.matcher(read(log));
    if (!address.find()) {
      throw new IOException("no address in " + read(log));
    }
    return new ServeProcess(process, log, Integer.parseInt(address.group(1)));
  }

  /// Starts a daemon that is expected to end by itself.
  public static Process launch(Path data, Path log, String... more) throws IOException {
    return launch(List.of(), List.of(), data, log, more);
  }

  private static Process launch(
      List<String> program, List<String> jvm, Path data, Path log, String... more)
      throws IOException {
    List<String> command = new ArrayList<>(program);
    command.addAll(QuickJvm.shared().with(jvm).command());
    return launchCommand(command, data, log, more);
  }

  /// Starts a daemon on the prepared JVM that is expected to end by itself.
  public static Process launch(QuickJvm jvm, Path data, Path log, String... more)
      throws IOException {
    return launchCommand(jvm.command(), data, log, more);
  }

  /// Starts a daemon with another main class, which takes the arguments of a daemon, and waits
  /// until it is ready.
  public static ServeProcess startMain(Class<?> main, List<String> jvm, Path data, String... more)
      throws IOException {
    Path logs = data.toAbsolutePath().resolveSibling("").normalize();
    Path log = Files.createTempFile(logs, "serve", ".log");
    QuickJvm program = QuickJvm.shared().with(jvm).running(main);
    return ready(launchCommand(program.command(), data, log, more), log);
  }

  /// Starts `widerow serve` itself, without the settings for tests, and waits until it is ready.
  public static ServeProcess startUntuned(List<String> jvm, Path data) throws IOException {
    Path logs = data.toAbsolutePath().resolveSibling("").normalize();
    Path log = Files.createTempFile(logs, "serve", ".log");
    QuickJvm program = QuickJvm.shared().with(jvm).running(Main.class, "serve");
    return ready(launchCommand(program.command(), data, log), log);
  }

  private static Process launchCommand(List<String> daemon, Path data, Path log, String... more)
      throws IOException {
    List<String> command = new ArrayList<>(daemon);
    command.addAll(List.of("--data", data.toString(), "--http", "127.0.0.1:0"));
    command.addAll(List.of(more));
    return new ProcessBuilder(command)
        .redirectErrorStream(true)
        .redirectOutput(log.toFile())
        .start();
  }

  private static String read(Path log) throws IOException {
    return Files.readString(log);
  }

  public int port() {
    return port;
  }

  public HttpResponse<String> get(String path) throws IOException, InterruptedException {
    return CLIENT.send(request(path).build(), BodyHandlers.ofString());
  }

  public HttpResponse<String> post(String path, String contentType, String body)
      throws IOException, InterruptedException {
    HttpRequest.Builder request =
        request(path).header("content-type", contentType).POST(BodyPublishers.ofString(body));
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  /// Sends a request without a body.
  public HttpResponse<String> send(String method, String path)
      throws IOException, InterruptedException {
    HttpRequest.Builder request = request(path).method(method, BodyPublishers.noBody());
    return CLIENT.send(request.build(), BodyHandlers.ofString());
  }

  private HttpRequest.Builder request(String path) {
    return HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path));
  }

  public boolean isAlive() {
    return process.isAlive();
  }

  public long pid() {
    return process.pid();
  }

  public String output() throws IOException {
    return read(log);
  }

  /// Deletes a store or another directory after use: thousands of faults would fill a disk.
  public static void delete(Path tree) throws IOException {
    try (Stream<Path> paths = Files.walk(tree)) {
      for (Path path : paths.toList().reversed()) {
        Files.delete(path);
      }
    }
  }

  /// `kill -9` of the daemon, and then of the program it runs under, if there is one.
  public void kill() throws InterruptedException {
    process.descendants().forEach(ProcessHandle::destroyForcibly);
    process.destroyForcibly();
    int _ = process.waitFor();
  }

  /// `kill` of the daemon, not of the program it runs under. Returns its exit code.
  public int stop(int seconds) throws IOException, InterruptedException {
    process.descendants().findFirst().orElse(process.toHandle()).destroy();
    if (!process.waitFor(seconds, TimeUnit.SECONDS)) {
      throw new AssertionError("still there after %d s: %s".formatted(seconds, output()));
    }
    return process.exitValue();
  }

  /// A value of `/proc/<pid>/status` in bytes.
  public long memoryBytes(String name) throws IOException {
    return Files.readAllLines(Path.of("/proc", Long.toString(pid()), "status")).stream()
        .filter(line -> line.startsWith(name + ":"))
        .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) << 10)
        .findFirst()
        .orElseThrow();
  }

  @Override
  public void close() {
    process.destroyForcibly();
    try {
      int _ = process.waitFor();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
