package io.widerow.cli.ship;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.LineEvent;
import io.widerow.questions.HostileEvents;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: what one daemon exports, another one has after `widerow import`, to the id and to the bits
/// of each value; the same files again change nothing; a file that is no export is refused whole.
/// Method: two daemons on the disk; events with every kind of value, in each format; files that
/// were cut at random, or are something else.
class ImportTest {
  private static final String EXACT = "id-field=id&time-field=ts&body-field=body&values=exact";

  @TempDir Path directory;

  private CommandDaemon from;
  private CommandDaemon to;

  @BeforeEach
  void start() throws IOException {
    Files.createDirectory(directory.resolve("from"));
    Files.createDirectory(directory.resolve("to"));
    from = new CommandDaemon(directory.resolve("from"), Map.of());
    to = new CommandDaemon(directory.resolve("to"), Map.of());
  }

  @AfterEach
  void stop() {
    to.close();
    from.close();
  }

  private static void send(CommandDaemon daemon, List<LineEvent> events) throws Exception {
    OutputBuffer lines = new OutputBuffer(1 << 16);
    JsonLinesWriter writer = JsonLinesWriter.exact();
    events.forEach(event -> writer.event(event, lines));
    var answer = daemon.http.post("/v1/events?" + EXACT, "application/x-ndjson", lines.toString());
    assertTrue(
        answer.body().startsWith("{\"accepted\":%d,\"rejected\":[]".formatted(events.size())),
        answer.body());
  }

  private Path export(CommandDaemon daemon, String name) {
    Path file = directory.resolve(name);
    Ran ran = daemon.run("export", "--out", file.toString());
    assertEquals(0, ran.code(), ran.err());
    return file;
  }

  private static String all(CommandDaemon daemon) throws IOException, InterruptedException {
    return daemon.get("/v1/export");
  }

  private Ran load(Path... files) {
    return to.run("import", Arrays.stream(files).map(Path::toString).toArray(String[]::new));
  }

  @Test
  void everyFormatGoesRound() throws Exception {
    List<LineEvent> events = HostileEvents.of(1, 1_000);
    send(from, events);
    String whole = all(from);
    assertEquals(events.size() + 1, whole.lines().count());
    for (String format : List.of("csv", "ndjson", "parquet")) {
      Path own = Files.createDirectory(directory.resolve(format));
      try (CommandDaemon fresh = new CommandDaemon(own, Map.of())) {
        Path file = export(from, "events." + format);
        for (int time = 0; time < 2; time++) { // again: it changes nothing
          Ran ran = fresh.run("import", file.toString());
          assertEquals(0, ran.code(), ran.err());
          assertEquals("", ran.err());
          fresh.merge();
          assertEquals(whole, all(fresh), format);
        }
      }
    }
  }

  /// Ids that the first daemon assigned are kept; times of events with ids of their own are to 100
  /// ns.
  @Test
  void assignedIdsAreKept() throws Exception {
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 5_000; i++) {
      lines.append(
          "{\"ts\":\"2026-11-20T19:15:00.%09dZ\",\"type\":\"app\",\"body\":\"line %d\",\"n\":%d}\n"
              .formatted(i / 7, i, i));
    }
    from.http.post("/v1/events", "application/x-ndjson", lines.toString());
    Path exported = directory.resolve("exported");
    Ran out = from.run("export", "--format", "csv", "--out", exported + "/");
    assertEquals(0, out.code(), out.err());
    Ran ran = load(exported);
    assertEquals(0, ran.code(), ran.err());
    assertTrue(ran.out().startsWith("5,000 events stored, 0 repeated, 0 refused"), ran.out());
    assertEquals(withoutTimes(all(from)), withoutTimes(all(to)));
  }

  private static String withoutTimes(String lines) {
    return lines.replaceAll("\"ts\":\"[^\"]*\"", "");
  }

  @Test
  void interruptedImportIsRepeated() throws Exception {
    send(from, HostileEvents.of(2, 500));
    Path file = export(from, "events.ndjson");
    byte[] whole = Files.readAllBytes(file);
    Path part = directory.resolve("part.ndjson");
    SplittableRandom random = new SplittableRandom(4);
    for (int i = 0; i < 3; i++) {
      Files.write(part, Arrays.copyOf(whole, 1_000 + random.nextInt(whole.length - 1_000)));
      Ran cut = load(part);
      assertTrue(cut.code() <= 1, cut.err()); // 1: the last line is cut, and refused
    }
    assertEquals(0, load(file).code());
    assertEquals(all(from), all(to));
  }

  /// The daemon knows batches by their keys for 15 minutes; another run has other ones.
  @Test
  void whatWasDeletedComesBack() throws Exception {
    from.http.post(
        "/v1/events",
        "application/x-ndjson",
        "{\"ts\":\"2026-11-20T19:15:00Z\",\"type\":\"app\",\"body\":\"line\",\"n\":1}\n"
            .repeat(20));
    Path file = export(from, "events.ndjson");
    assertEquals(0, load(file).code());
    String whole = all(to);
    assertEquals(0, to.run("delete", "plan", "--where", "n = 1").code());
    Ran deleted = to.run("delete", "run", "d-1");
    assertTrue(deleted.out().contains("\"removed\":20,"), deleted.out() + deleted.err());
    assertEquals(1, all(to).lines().count());
    Ran again = load(file);
    assertTrue(again.out().startsWith("20 events stored, 0 repeated, 0 refused"), again.out());
    assertEquals(whole, all(to));
  }

  @Test
  void packedFileIsTakenAndACutOneTold() throws Exception {
    send(from, HostileEvents.of(3, 100));
    byte[] plain = Files.readAllBytes(export(from, "events.csv"));
    var packed = new ByteArrayOutputStream();
    try (var gzip = new GZIPOutputStream(packed)) {
      gzip.write(plain);
    }
    Path file = directory.resolve("events.csv.gz");
    Files.write(file, Arrays.copyOf(packed.toByteArray(), packed.size() / 2));
    Ran cut = load(file);
    assertEquals(65, cut.code());
    assertTrue(cut.err().contains("events.csv.gz is cut or damaged: "), cut.err());
    Files.write(file, packed.toByteArray());
    assertEquals(0, load(file).code());
    assertEquals(all(from), all(to));
  }

  @Test
  void badLinesAreListedAndTheOthersTaken() throws Exception {
    Path file = directory.resolve("bad.csv");
    List<String> rows =
        List.of(
            "id,ts,type,body,attributes",
            "ID1,2026-11-20T07:00:00.123456700Z,app,one,\"{\"\"n\"\":1}\"",
            "not an id,2026-11-20T07:00:00.123456700Z,app,two,{}",
            "ID3,yesterday,app,three,{}",
            "ID4,2026-11-20T07:00:00.123456700Z,app,\"fo\nur\",\"{\"\"n\"\":\"",
            "ID5,2001-11-20T07:00:00.123456700Z,app,five,{}",
            "ID6,2026-11-20T07:00:00.123456700Z,app");
    String text = String.join("\r\n", rows) + "\r\n";
    Files.writeString(file, text.replace("ID", "00a2ae87-e4b0-11f1-8080-80808080808"));
    Ran ran = load(file);
    assertEquals(1, ran.code(), ran.err());
    List<String> refused =
        List.of(
            "not a version-1 UUID: not an id (line 3 of FILE)",
            "Text 'yesterday' could not be parsed at index 0 (line 4 of FILE)",
            "attributes: not the JSON object that an export writes (line 5 of FILE)",
            "3 columns, not 5 (line 8 of FILE)",
            "the id's time is not the event's time (line 7 of FILE)");
    assertEquals(
        refused.stream().map(why -> "widerow import: refused: " + why).toList(),
        ran.err().replace(file.toString(), "FILE").lines().toList());
    assertTrue(ran.out().startsWith("1 events stored, 0 repeated, 5 refused"), ran.out());
  }

  @Test
  void fileOfSomethingElseIsRefusedBeforeAnythingIsSent() throws Exception {
    send(from, HostileEvents.of(5, 10));
    Path good = export(from, "good.ndjson");
    Path other = directory.resolve("other");
    List<String> contents =
        List.of(
            "id,ts,name\n1,2,3\n",
            "{\"a\":1}\n",
            "{\"id\":\"x\",\"ts\":\"y\",\"type\":\"z\"}\n",
            "hello\n",
            "id,ts");
    for (String content : contents) {
      Files.writeString(other, content, StandardCharsets.UTF_8);
      Ran refused = load(good, other);
      assertEquals(64, refused.code(), content);
      assertTrue(
          refused.err().startsWith("widerow import: file: %s is no export".formatted(other)),
          refused.err());
    }
    assertEquals(1, all(to).lines().count()); // its token
    Ran missing = load(directory.resolve("missing"));
    assertEquals(66, missing.code(), missing.err());
    Ran empty = load(Files.createDirectory(directory.resolve("empty")));
    assertEquals(66, empty.code(), empty.err());
  }
}
