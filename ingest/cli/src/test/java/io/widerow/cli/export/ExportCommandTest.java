package io.widerow.cli.export;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.CommandDaemon;
import io.widerow.cli.CommandDaemon.Ran;
import io.widerow.event.EventView;
import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.query.parquet.ParquetFile;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import io.widerow.questions.HostileEvents;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: `widerow export` writes each event of the range once, in the global order, whatever it is
/// written into and however often it was stopped. Method: a stopped store exported into standard
/// output, a file and a directory; the record of a directory is cut at random places, as by a kill,
/// and the same command run again.
class ExportCommandTest {
  private static final long START = 1_795_158_000_000_000_000L; // 2026-11-20T07:00:00Z
  private static final int EVENTS = 3_000;

  @TempDir Path directory;

  @BeforeEach
  void writeStore() throws IOException {
    List<Stored> events = new ArrayList<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < EVENTS; i++) {
      byte[] text = new byte[400];
      random.nextBytes(text);
      String noise = HexFormat.of().formatHex(text);
      events.add(
          new Stored(
              i % 3 == 0 ? "app" : "web",
              START + i * 1_000_000_000L + i, // nearly an hour
              Map.of("body", noise, "n", (long) i, "ms", i / 4.0, "ok", i % 2 == 0)));
    }
    StoreDirectory.write(directory.resolve("store"), events);
  }

  private Ran run(String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    all.addAll(List.of("--data", directory.resolve("store").toString()));
    return CommandDaemon.run(Map.of(), "export", all.toArray(String[]::new));
  }

  private static List<String> lines(String ndjson) {
    return ndjson
        .lines()
        .map(line -> HostileEvents.text(new LineEvent(JsonLine.parse(line))))
        .toList();
  }

  private static List<String> ndjson(Path... files) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path file : files) {
      texts.addAll(lines(Files.readString(file)));
    }
    return texts;
  }

  private static List<String> parquet(Path... files) throws IOException {
    List<String> texts = new ArrayList<>();
    for (Path file : files) {
      try (ParquetFile events = ParquetFile.open(file)) {
        for (EventView event = events.next(); event != null; event = events.next()) {
          texts.add(HostileEvents.text(event));
        }
      }
    }
    return texts;
  }

  private static Path[] parts(Path exported) throws IOException {
    try (Stream<Path> files = Files.list(exported)) {
      return files
          .filter(file -> file.getFileName().toString().startsWith("events-"))
          .sorted()
          .toArray(Path[]::new);
    }
  }

  @Test
  void everyFormatHasEveryEventInOrder() throws IOException {
    Ran ndjson = run();
    assertEquals(0, ndjson.code(), ndjson.err());
    List<String> all = lines(ndjson.out());
    assertEquals(EVENTS, all.size());
    assertEquals(all.stream().sorted().toList(), all.stream().sorted().distinct().toList());

    Path file = directory.resolve("all.parquet");
    assertEquals(0, run("--out", file.toString()).code());
    assertEquals(all, parquet(file));
    assertFalse(Files.exists(directory.resolve("all.parquet.part")));

    String csv = run("--format", "csv").out();
    assertEquals(EVENTS + 1, csv.lines().count());
    assertTrue(csv.startsWith("id,ts,type,body,attributes\r\n"), csv);
  }

  @Test
  void rangeAndFilterAreThoseOfAQuery() {
    Ran app = run("app", "--where", "n < 300", "--from", "2026-11-20T07:00:30Z");
    assertEquals(List.of(90, 0), List.of(lines(app.out()).size(), app.code()), app.err());
    assertTrue(app.err().startsWith("widerow export: 90 events, "), app.err());
    assertTrue(app.err().contains("; later events: --after w1."), app.err());
  }

  @Test
  void stoppedExportIntoADirectoryGoesOnWhereItWas() throws IOException {
    List<String> all = lines(run().out());
    Path once = directory.resolve("once");
    String[] command = {"--format", "ndjson", "--file-mb", "1", "--out", once + "/"};
    assertEquals(0, run(command).code());
    assertTrue(parts(once).length >= 2, Arrays.toString(parts(once)));
    assertEquals(all, ndjson(parts(once)));
    assertEquals(0, run(command).code()); // nothing is left to do

    String record = Files.readString(once.resolve(ExportDirectory.RECORD));
    SplittableRandom random = new SplittableRandom(3);
    for (int i = 0; i < 12; i++) {
      int cut = i == 0 ? 0 : random.nextInt(record.length());
      Files.writeString(once.resolve(ExportDirectory.RECORD), record.substring(0, cut));
      if (!record.substring(0, cut).contains("\n")) {
        for (Path part : parts(once)) { // none was begun
          Files.delete(part);
        }
      }
      Ran again = run(command);
      assertEquals(0, again.code(), again.err());
      assertEquals(all, ndjson(parts(once)), "cut at " + cut);
    }
  }

  @Test
  void directoryOfSomethingElseIsRefused() throws IOException {
    Path other = Files.createDirectory(directory.resolve("other"));
    Files.writeString(other.resolve("notes.txt"), "mine");
    Ran refused = run("--out", other.toString());
    assertEquals(64, refused.code());
    assertEquals(
        "widerow export: out: %s is not empty and holds no export; name another one\n"
            .formatted(other),
        refused.err());

    Path once = directory.resolve("apps");
    assertEquals(0, run("app", "--out", once + "/").code());
    Ran another = run("web", "--out", once + "/");
    assertEquals(64, another.code());
    assertEquals(
        "widerow export: out: %s holds another export: format=ndjson&type=app, and this one is"
                .formatted(once)
            + " format=ndjson&type=web; name another directory\n",
        another.err());
  }

  @Test
  void wholeFileThatIsGoneIsTold() throws IOException {
    Path once = directory.resolve("once");
    assertEquals(0, run("--out", once + "/").code());
    Files.delete(once.resolve("events-00001.ndjson"));
    Ran refused = run("--out", once + "/");
    assertEquals(64, refused.code());
    assertTrue(
        refused.err().contains("has events-00001.ndjson no more as it was written"), refused.err());
  }
}
