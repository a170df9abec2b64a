package io.widerow.cli.ship;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.decode.Swar;
import io.widerow.ingest.decode.TimeParser;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a file that is renamed while the command looks for it is not taken for another one, which
/// would send it twice; one that is deleted is read to its end. Method: one thread renames a file
/// all the time, another one starts from a checkpoint that has it read to its end; files that are
/// deleted between one look and the next.
@Timeout(300)
class FileWatchTest {
  private static final int STARTS = 3_000;

  @TempDir private Path directory = Path.of(".");

  private final RecordFormat rules =
      RecordFormat.of(RecordFormat.Format.text, null).withZone(ZoneOffset.UTC);
  private final RecordReader reader = new RecordReader(rules);
  private final byte[] buffer = new byte[rules.batchBytes() + Swar.SLACK_BYTES];
  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final AtomicBoolean ended = new AtomicBoolean();

  private FileWatch watch() {
    var console = new Console("ship", new PrintStream(told, true, StandardCharsets.UTF_8), false);
    String pattern = directory.resolve("a.log*").toString();
    var plan =
        new ShipPlan(
            List.of(pattern), List.of(), null, Map.of(), rules, false, false, 1, 1, 1, 1, 1);
    return new FileWatch(plan, console);
  }

  private void renameUntilEnded() {
    try {
      for (int number = 0; !ended.get(); number++) {
        Path from = directory.resolve("a.log." + number % 4);
        Files.move(from, directory.resolve("a.log." + (number + 1) % 4));
      }
    } catch (IOException failed) {
      throw new IllegalStateException(failed);
    }
  }

  @Test
  void whatIsRenamedMeanwhileIsStillTheSame()
      throws IOException, ExecutionException, InterruptedException {
    byte[] text = "line 1\nline 2\nline 3\n".getBytes(StandardCharsets.US_ASCII);
    Path path = Files.write(directory.resolve("a.log.0"), text);
    FileIdentity identity = Objects.requireNonNull(FileIdentity.look(path)).identity();
    Checkpoint.Entry entry =
        new Checkpoint.Entry(
            path.toString(),
            directory.resolve("a.log").toString(),
            identity,
            0,
            FileFingerprint.of(text, text.length),
            text.length,
            HexFormat.of().formatHex(text),
            TimeParser.NONE,
            text.length,
            0,
            false,
            null);
    CompletableFuture<Void> renaming = CompletableFuture.runAsync(this::renameUntilEnded);
    try {
      for (int start = 0; start < STARTS; start++) {
        FileWatch watch = watch();
        watch.restore(new Checkpoint("salt", List.of(), List.of(entry)));
        watch.look(start + 1);
        FollowedFile file = watch.files().getFirst();
        assertEquals(text.length, file.position, told.toString(StandardCharsets.UTF_8));
        assertEquals(0, file.generation);
        file.closeFile();
      }
    } finally {
      ended.set(true);
      renaming.get();
    }
  }

  /// The next batch, which is acknowledged at once.
  private FileBatch next(FileWatch watch, FollowedFile file) throws IOException {
    FileBatch batch = Objects.requireNonNull(file.next(reader, buffer, "salt", 1, false));
    file.underWay = batch;
    watch.acknowledged(file, batch);
    return batch;
  }

  /// The daemon may have been away for longer than files are kept open without growth.
  @Test
  void whatADeletedFileHasGotSinceTheLastLookIsRead() throws IOException {
    Path path = Files.writeString(directory.resolve("a.log"), "line 1\n");
    FileWatch watch = watch();
    watch.discover(1);
    FollowedFile file = watch.files().getFirst();
    assertEquals(1, next(watch, file).events);
    Files.writeString(path, "line 2\nline 3\n", StandardOpenOption.APPEND);
    Files.delete(path);
    watch.closeIdle(1L << 60);
    assertTrue(file.isOpen() && !file.done, "it has more");
    watch.look(2L << 60);
    assertEquals(2, next(watch, file).events);
    watch.closeIdle(3L << 60);
    assertTrue(!file.isOpen() && file.done);
    assertEquals("", told.toString(StandardCharsets.UTF_8));
  }

  @Test
  void aBatchThatIsFullOfShortLinesDoesNotEndTheFile() throws IOException {
    int lines = RecordReader.EVENTS_MAX + 5;
    Path path = Files.writeString(directory.resolve("a.log"), "x\n".repeat(lines));
    FileWatch watch = watch();
    watch.discover(1);
    FollowedFile file = watch.files().getFirst();
    FileBatch first = next(watch, file);
    assertTrue(first.events < lines && first.full && !file.atEnd);
    Files.delete(path);
    watch.look(1L << 60);
    watch.closeIdle(2L << 60);
    assertTrue(file.isOpen() && !file.done, "it has more");
    FileBatch second = next(watch, file);
    assertEquals(lines, first.events + second.events);
    assertTrue(!second.full && file.atEnd);
  }
}
