package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.faults.Await;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.storage.EventStore;
import java.io.Closeable;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// A daemon with a store on disk for programs that people send with, and what their tests share.
/// When a program is missing, its test is skipped and says what to install. Packages of npm are
/// those of `src/clients/npm/package.json`.
@Timeout(300)
abstract class ClientDaemon {
  static final String SECRET = "0123456789abcdef0123456789abcdef";

  private static final Path NPM = Path.of("src/clients/npm");
  private static final String PYTHON = "/usr/bin/python3";
  private static final Pattern NUMBER = Pattern.compile("\"n\":\"?(\\d+)");

  @TempDir Path directory = Path.of(".");

  private EventStore store = new MemoryStore(1);
  private @Nullable Daemon running;

  @BeforeEach
  void start() throws IOException {
    Map<String, String> keys = new HashMap<>();
    keys.put("data", directory.resolve("d").toString());
    keys.put("lanes", "2");
    for (String protocol : List.of("http", "syslog", "statsd", "graphite", "gelf")) {
      keys.put(protocol, "127.0.0.1:0");
    }
    Path tokens = directory.resolve("tokens");
    Files.writeString(tokens, TokenDaemon.line("shop", SECRET, "ingest,query"));
    Files.setPosixFilePermissions(tokens, PosixFilePermissions.fromString("rw-------"));
    if (guarded()) {
      keys.put("tokens", tokens.toString());
    }
    DaemonConfig config = DaemonConfig.of(keys);
    store = LocalStore.open(config);
    running = Daemon.start(config, store);
  }

  /// Whether senders and readers need the token [#SECRET].
  boolean guarded() {
    return false;
  }

  @AfterEach
  void end() {
    daemon().close();
    store.close();
  }

  private Daemon daemon() {
    return Objects.requireNonNull(running);
  }

  int httpPort() {
    return daemon().httpAddress().getPort();
  }

  String url() {
    return "http://127.0.0.1:" + httpPort();
  }

  /// The port of a protocol with sockets of its own.
  int port(String protocol) {
    InetSocketAddress address = Objects.requireNonNull(daemon().socketAddress(protocol));
    return address.getPort();
  }

  static void requireProgram(String name, String debianPackage) {
    boolean there =
        folders(System.getenv("PATH")).anyMatch(folder -> Files.isExecutable(folder.resolve(name)));
    assumeTrue(there, "needs %s (Debian: apt-get install %s)".formatted(name, debianPackage));
  }

  private static Stream<Path> folders(String path) {
    return Arrays.stream((path + ":/usr/sbin:/sbin").split(":", -1)).map(Path::of);
  }

  /// Runs a program, whose exit code must be 0, and returns its output.
  static String run(String input, String... command) throws IOException, InterruptedException {
    return run(Path.of("."), input, command);
  }

  private static String run(Path where, String input, String... command)
      throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(where.toFile()).redirectErrorStream(true).start();
    try (OutputStream in = process.getOutputStream()) {
      in.write(input.getBytes(StandardCharsets.UTF_8));
    }
    String said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(0, process.waitFor(), said);
    return said;
  }

  /// Runs a script of `src/clients/npm`.
  static String node(String script, String... arguments) throws IOException, InterruptedException {
    requireProgram("node", "nodejs npm");
    assumeTrue(
        Files.isDirectory(NPM.resolve("node_modules")),
        "needs npm install --ignore-scripts --prefix ingest/" + NPM);
    String[] command = {"node", script};
    return run(NPM, "", Stream.of(command, arguments).flatMap(Stream::of).toArray(String[]::new));
  }

  /// Runs a script with Debian's Python.
  static String python(String module, String script) throws IOException, InterruptedException {
    requireProgram("python3", "python3");
    Process probe = new ProcessBuilder(PYTHON, "-c", "import " + module).start();
    assumeTrue(
        probe.waitFor() == 0,
        "needs %s (Debian: apt-get install python3-%s)".formatted(module, module));
    return run(script, PYTHON, "-");
  }

  /// Starts a program that runs until it is closed.
  Closeable started(String... command) throws IOException {
    Process process =
        new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(directory.resolve(command[0] + ".out").toFile())
            .start();
    return () -> {
      process.destroy();
      try {
        boolean _ = process.waitFor(Await.SECONDS, TimeUnit.SECONDS);
      } catch (InterruptedException interrupted) {
        Thread.currentThread().interrupt();
      }
      process.destroyForcibly();
    };
  }

  List<String> stored(String query) throws IOException, InterruptedException {
    try (Http http = new Http(daemon())) {
      return http.get("/v1/query?" + query, "authorization", "Bearer " + SECRET)
          .body()
          .lines()
          .filter(line -> line.startsWith("{\"id\""))
          .toList();
    }
  }

  List<String> awaitStored(int count, String query) throws IOException, InterruptedException {
    Await.until(() -> stored(query).size() >= count, count + " events are stored");
    return stored(query);
  }

  /// The attribute `n` of each event, sorted.
  static List<Integer> numbers(List<String> lines) {
    return lines.stream()
        .map(NUMBER::matcher)
        .filter(Matcher::find)
        .map(number -> Integer.valueOf(number.group(1)))
        .sorted()
        .toList();
  }

  /// An event without some of its members, strings and whole numbers.
  static String without(String line, String... members) {
    String left = line;
    for (String member : members) {
      left = left.replaceAll("\"" + member + "\":(\"[^\"]*\"|\\d+),?", "");
    }
    return left;
  }
}
