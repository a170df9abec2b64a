package io.widerow.cli.ship;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import io.widerow.faults.Await;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.channels.FileChannel;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AutoClose;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: each line of a file is stored once, however the file is rotated and whenever the command
/// ends. Method: the command in this process, files that are written to and rotated meanwhile, and
/// what a query of the daemon reads back.
@Timeout(300)
class ShipTest {
  private static final Pattern BODY = Pattern.compile("\"body\":\"([^\"]*)\"");

  @TempDir Path directory;

  private Path logs;
  @AutoClose private OperatedDaemon daemon;
  private Http http;

  @BeforeEach
  void start() throws IOException {
    logs = Files.createDirectories(directory.resolve("logs"));
    daemon = new OperatedDaemon(directory, Map.of("lanes", "1"));
    http = daemon.http;
  }

  /// A command that runs until it is asked to end.
  private static final class Running implements AutoCloseable {
    final StopSignal stop = new StopSignal();
    final ByteArrayOutputStream out = new ByteArrayOutputStream();
    final ByteArrayOutputStream err = new ByteArrayOutputStream();
    final CompletableFuture<Integer> code;

    Running(byte[] input, List<String> arguments) {
      var shell = new Shell(out, new PrintStream(err, true, UTF_8), false, false, false, Map.of());
      var line = Main.of(new ShipCommand(shell, stop, new ByteArrayInputStream(input)), shell);
      code =
          CompletableFuture.supplyAsync(
              () -> line.execute(arguments.toArray(String[]::new)),
              command -> Thread.ofPlatform().start(command));
    }

    String told() {
      return err.toString(UTF_8);
    }

    int end() {
      stop.stop();
      return code.join();
    }

    @Override
    public void close() {
      assertEquals(0, end(), told());
    }
  }

  private Running follow(String file, String... more) {
    List<String> all = new ArrayList<>(List.of(logs.resolve(file).toString()));
    all.addAll(List.of("--to", daemon.url(), "--poll", "5ms", "--type", "t"));
    all.addAll(List.of("--checkpoint", directory.resolve("checkpoint").toString()));
    all.addAll(List.of(more));
    return new Running(new byte[0], all);
  }

  private Running once(byte[] input, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--once", "--to", daemon.url()));
    return new Running(input, all);
  }

  private void write(String name, String text) throws IOException {
    Files.writeString(
        logs.resolve(name), text, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
  }

  private static String lines(int from, int until) {
    return IntStream.range(from, until)
        .mapToObj("line %06d%n"::formatted)
        .reduce("", String::concat);
  }

  private String query(String parameters) throws IOException, InterruptedException {
    return http.get("/v1/query?format=json" + parameters).body();
  }

  /// The bodies that are stored, sorted.
  private List<String> bodies() throws IOException, InterruptedException {
    List<String> found = new ArrayList<>();
    Matcher body = BODY.matcher(query(""));
    while (body.find()) {
      found.add(body.group(1));
    }
    return found.stream().sorted().toList();
  }

  private void await(Running running, int count) throws IOException, InterruptedException {
    Await.until(
        () -> {
          assertTrue(!running.code.isDone(), running.told());
          return bodies().size() >= count;
        },
        count + " lines are stored");
  }

  private void awaitTold(Running running, String sentence) {
    Await.until(
        () -> {
          assertTrue(!running.code.isDone(), running.told());
          return running.told().contains(sentence);
        },
        sentence);
  }

  private void assertLines(int until) throws IOException, InterruptedException {
    assertEquals(lines(0, until).lines().toList(), bodies());
  }

  @Test
  void renamedFilesAreReadToTheirEndAndNewOnesFromTheirStart() throws Exception {
    write("a.log", lines(0, 10));
    try (Running running = follow("a.log")) {
      await(running, 10);
      Files.move(logs.resolve("a.log"), logs.resolve("a.log.1"));
      write("a.log.1", lines(10, 20));
      write("a.log", lines(20, 30));
      await(running, 30);
      Files.delete(logs.resolve("a.log.1"));
      Files.move(logs.resolve("a.log"), logs.resolve("a.log.1"));
      write("a.log", lines(30, 35));
      await(running, 35);
    }
    assertLines(35);
    String file = logs.resolve("a.log").toString();
    assertEquals(
        35, query("&where=" + encoded("file = \"" + file + "\"")).split("\"body\"", -1).length - 1);
  }

  private static String encoded(String filter) {
    return java.net.URLEncoder.encode(filter, UTF_8);
  }

  @Test
  void aRestartGoesOnAlsoAfterARename() throws Exception {
    write("a.log", lines(0, 10));
    try (Running running = follow("a.log")) {
      await(running, 10);
    }
    write("a.log", lines(10, 12));
    Files.move(logs.resolve("a.log"), logs.resolve("a.log.1"));
    write("a.log", lines(12, 20));
    try (Running running = follow("a.log")) {
      await(running, 20);
    }
    try (Running running = follow("a.log*")) {
      write("a.log", lines(20, 21));
      await(running, 21);
    }
    assertLines(21);
  }

  @Test
  void aTruncatedFileIsReadFromItsStart() throws Exception {
    write("a.log", lines(0, 10));
    try (Running running = follow("a.log")) {
      await(running, 10);
      truncate("a.log");
      awaitTold(running, "was truncated");
      write("a.log", lines(10, 30));
      await(running, 30);
    }
    truncate("a.log"); // and it grows past where it was
    write("a.log", lines(30, 90));
    try (Running running = follow("a.log")) {
      await(running, 90);
    }
    assertLines(90);
  }

  private void truncate(String name) throws IOException {
    try (FileChannel file = FileChannel.open(logs.resolve(name), StandardOpenOption.WRITE)) {
      FileChannel _ = file.truncate(0);
    }
  }

  @Test
  void aCopyThatARotationMakesIsNotReadAgain() throws Exception {
    write("a.log", lines(0, 10));
    try (Running running = follow("a.log*")) {
      await(running, 10);
      Path _ = Files.copy(logs.resolve("a.log"), logs.resolve("a.log.1"));
      awaitTold(running, "looks like a copy");
      truncate("a.log");
      awaitTold(running, "was truncated");
      write("a.log", lines(10, 20));
      await(running, 20);
      write("a.log.1", lines(20, 21)); // the rest of a copy is read
      await(running, 21);
    }
    assertLines(21);
  }

  @Test
  void globsFindFilesThatComeLaterAndLeaveOutCompressedOnes() throws Exception {
    try (Running running = follow("*/x-*.log")) {
      awaitTold(running, "no such file yet");
      Files.createDirectories(logs.resolve("b"));
      write("b/x-1.log", lines(0, 5));
      write("b/y-1.log", "no\n");
      Files.write(logs.resolve("b/x-2.log"), gzip("no\n"));
      write("b/x-3.log", lines(5, 7));
      await(running, 7);
      awaitTold(running, "is compressed");
    }
    assertLines(7);
  }

  @Test
  void fromEndHoldsForTheFirstStartOnly() throws Exception {
    write("a.log", "old\nold line 00");
    try (Running running = follow("*.log", "--from", "end")) {
      awaitTold(running, "following");
      Await.pauseNanos(200_000_000);
      write("a.log", "x\n");
      write("b.log", "new\n");
      await(running, 2);
    }
    write("c.log", "stopped\n");
    try (Running running = follow("*.log", "--from", "end")) {
      await(running, 3);
    }
    assertEquals(List.of("new", "old line 00x", "stopped"), bodies());
  }

  /// PowerShell and services of Windows write such files.
  @Test
  void filesOfUtf16AreRead() throws Exception {
    List<Charset> orders = List.of(StandardCharsets.UTF_16LE, StandardCharsets.UTF_16BE);
    List<String> expected = new ArrayList<>();
    for (Charset order : orders) {
      byte[] first = "\ufeffone \u20ac \ud83d\ude00 \u0a0a\r\ntwo\r\nthr".getBytes(order);
      Files.write(logs.resolve(order.name() + ".log"), first);
      expected.addAll(List.of("one \u20ac \ud83d\ude00 \u0a0a", "two", "three", "four"));
    }
    try (Running running = follow("*.log")) {
      await(running, 4);
    }
    for (Charset order : orders) { // a later run goes on within the file
      Files.write(
          logs.resolve(order.name() + ".log"),
          "ee\r\nfour\r\n".getBytes(order),
          StandardOpenOption.APPEND);
    }
    try (Running running = follow("*.log")) {
      await(running, 8);
    }
    assertEquals(expected.stream().sorted().toList(), bodies());
  }

  @Test
  void aLastLineWaitsAndARecordOfSeveralLinesEnds() throws Exception {
    write("a.log", "2026-01-02 03:04:05 x\n  at y\n");
    try (Running running = follow("a.log", "--start", "time", "--flush-after", "50ms")) {
      await(running, 1);
      write("a.log", "2026-01-02 03:04:06 no newline");
      Await.pauseNanos(300_000_000);
      assertEquals(1, bodies().size(), "a line in the making");
      write("a.log", " yet\n");
      await(running, 2);
    }
    assertEquals(
        List.of("2026-01-02 03:04:05 x\\n  at y", "2026-01-02 03:04:06 no newline yet"), bodies());
  }

  @Test
  void namesOfKubernetesAreAttributes() throws Exception {
    String name = "web-1_shop_nginx-" + "a".repeat(64) + ".log";
    Files.writeString(
        logs.resolve(name), "2016-10-06T00:17:09Z stdout F {\"n\":1,\"msg\":\"m\"}\n");
    Running run = once(new byte[0], logs.resolve(name).toString(), "--attr", "zone=x");
    assertEquals(0, run.code.join(), run.told());
    String found = query("&type=nginx");
    for (String member :
        List.of(
            "\"pod\":\"web-1\"",
            "\"namespace\":\"shop\"",
            "\"container\":\"nginx\"",
            "\"stream\":\"stdout\"",
            "\"zone\":\"x\"",
            "\"n\":1",
            "\"body\":\"m\"",
            "2016-10-06T00:17:09")) {
      assertTrue(found.contains(member), found);
    }
  }

  private static byte[] gzip(String text) throws IOException {
    var bytes = new ByteArrayOutputStream();
    try (var out = new GZIPOutputStream(bytes)) {
      out.write(text.getBytes(UTF_8));
    }
    return bytes.toByteArray();
  }

  @Test
  void importsPlainAndCompressedFilesAndStandardInput() throws Exception {
    write("a.log", lines(0, 1_000) + "line 001000");
    var two = new ByteArrayOutputStream();
    two.write(gzip(lines(1_001, 1_500)));
    two.write(gzip(lines(1_500, 2_000)));
    Files.write(logs.resolve("b.log.gz"), two.toByteArray());
    Files.write(logs.resolve("c.log.zst"), Zstd.compress(lines(2_000, 3_000).getBytes(UTF_8)));
    String[] arguments = {
      logs + "/*.log*", "-", "--batch-bytes", "4096", "--record-bytes-max", "1024"
    };
    Running run = once(gzip(lines(3_000, 3_100)), arguments);
    assertEquals(0, run.code.join(), run.told());
    assertLines(3_100);
    String summary = run.out.toString(UTF_8);
    assertTrue(summary.startsWith("3,100 events stored, 0 repeated, 0 refused; "), summary);
    Running again =
        once(new byte[0], logs + "/*.log*", "--batch-bytes", "4096", "--record-bytes-max", "1024");
    assertEquals(0, again.code.join(), again.told());
    assertTrue(again.out.toString(UTF_8).startsWith("0 events stored, 3,000 repeated"), "known");
    assertLines(3_100);
  }

  @Test
  void aFileThatGetsTheNameOfAnotherTypeIsImportedAgain() throws Exception {
    write("log.txt", lines(0, 100));
    Path first = logs.resolve("log.txt");
    Path rotated = logs.resolve("log.txt.1");
    Path renamed = logs.resolve("shop.txt");
    assertEquals("100 events stored, 0 repeated", imported(first));
    Files.move(first, rotated);
    assertEquals("0 events stored, 100 repeated", imported(rotated), "the same type");
    Files.move(rotated, renamed);
    assertEquals("100 events stored, 0 repeated", imported(renamed));
    assertEquals(100, query("&type=shop").split("\"body\"", -1).length - 1);
  }

  /// The beginning of what an import of one file says at its end.
  private String imported(Path file) throws Exception {
    Running run = once(new byte[0], file.toString());
    assertEquals(0, run.code.join(), run.told());
    String summary = run.out.toString(UTF_8);
    return summary.substring(0, summary.indexOf(", 0 refused"));
  }

  @Test
  void importSaysWhatWasRefusedOrDamaged() throws Exception {
    String large = "x".repeat(400_000) + "\n";
    write("a.log", "good\n" + large + large);
    String[] wide = {"--record-bytes-max", "500000", "--batch-bytes", "2000000"};
    Running refused =
        once(new byte[0], logs.resolve("a.log").toString(), wide[0], wide[1], wide[2], wide[3]);
    assertEquals(1, refused.code.join(), refused.told());
    assertTrue(refused.out.toString(UTF_8).contains("1 events stored, 0 repeated, 2 refused"));
    assertEquals(1, refused.told().split("refused: ", -1).length - 1, refused.told());
    byte[] packed = gzip(lines(0, 500));
    Files.write(logs.resolve("b.gz"), java.util.Arrays.copyOf(packed, packed.length - 12));
    Running cut = once(new byte[0], logs.resolve("b.gz").toString());
    assertEquals(65, cut.code.join(), cut.told());
    assertTrue(cut.told().contains("b.gz is "), cut.told());
  }

  @ParameterizedTest(name = "{0}")
  @CsvSource(
      delimiter = '|',
      value = {
        "--once /no/such | 66 | /no/such: no such file",
        "--once /tmp | 66 | /tmp: is a directory: name its files",
        "- | 64 | FILE: - is for --once without --checkpoint",
        "x --attr type=y | 64 | attr: no attribute can be called 'type'",
        "x --zone Mars | 64 | zone: no such time zone: Mars",
        "x --start ( | 64 | option: error parsing regexp",
        "x --ts Q{ | 64 | option: ",
        "x --batch-bytes 5 | 64 | option: batch-bytes must be",
        "x --poll never | 64 | poll: ",
        "x --to ftp://x | 64 | url: must be HOST:PORT",
      })
  void mistakesAreOneSentence(String arguments, int code, String sentence) {
    Running run = new Running(new byte[0], List.of(arguments.split(" ", -1)));
    assertEquals(code, run.code.join(), run.told());
    assertTrue(run.told().startsWith("widerow ship: " + sentence), run.told());
    assertEquals(1, run.told().lines().count(), run.told());
  }

  @Test
  void oneCheckpointHasOneOwnerAndADamagedOneIsNamed() throws Exception {
    write("a.log", "x\n");
    try (Running running = follow("a.log")) {
      await(running, 1);
      Running second = follow("a.log");
      assertEquals(75, second.code.join(), second.told());
    }
    Path file = directory.resolve("checkpoint/checkpoint");
    Files.writeString(file, Files.readString(file).replace("a.log", "b.log"));
    Running damaged = follow("a.log");
    assertEquals(65, damaged.code.join(), damaged.told());
    assertTrue(damaged.told().contains("checksum"), damaged.told());
  }
}
