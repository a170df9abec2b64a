package io.widerow.ingest.ship;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.ingest.decode.Times;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
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
/// would send it twice. Method: one thread renames a file all the time, another one starts from a
/// checkpoint that has it read to its end.
@Timeout(120)
class FileWatchTest {
  private static final int STARTS = 3_000;

  @TempDir private Path directory = Path.of(".");

  private final ByteArrayOutputStream told = new ByteArrayOutputStream();
  private final AtomicBoolean ended = new AtomicBoolean();

  private FileWatch watch() {
    var console = new Console("ship", new PrintStream(told, true, StandardCharsets.UTF_8), false);
    String pattern = directory.resolve("a.log*").toString();
    var rules = RecordRules.of(RecordRules.Format.text, null).withZone(ZoneOffset.UTC);
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
            Fingerprint.of(text, text.length),
            text.length,
            HexFormat.of().formatHex(text),
            Times.NONE,
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
}
