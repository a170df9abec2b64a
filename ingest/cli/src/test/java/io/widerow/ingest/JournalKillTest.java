package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.receive.journald.JournalEntries;
import io.widerow.ingest.receive.journald.Upload;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an upload of a journal that a `kill -9` of the daemon ends, again and again, is stored
/// whole and once in the end; and one far larger than the heap is stored. Method: the daemon as a
/// process; the uploads begin at the cursor that the sender saved last, like those of its unit.
@Timeout(300)
@Tag("process")
class JournalKillTest {
  private static final int PIECE = 500; // entries
  private static final int ENTRIES = 60 * PIECE;

  @TempDir private Path directory = Path.of(".");

  private static byte[] piece(int from, String text) {
    StringBuilder piece = new StringBuilder();
    IntStream.range(from, from + PIECE)
        .forEach(
            i -> piece.append(JournalEntries.entry(i, "MESSAGE=line %d%s\n".formatted(i, text))));
    return piece.toString().getBytes(StandardCharsets.US_ASCII);
  }

  /// Sends pieces until the daemon is gone, which is killed some pieces after it stored one.
  private static void sendUntilKilled(ServeProcess daemon, int from, int killAfter)
      throws IOException, InterruptedException {
    try (Upload upload = new Upload(daemon.port(), "/upload")) {
      int piece = 0;
      while (true) {
        upload.send(piece(from + PIECE * (piece % 30), ""));
        piece++;
        if (piece == 1) {
          Await.until(() -> count(daemon) > 0, "the first piece is stored");
        }
        if (piece == killAfter) {
          daemon.kill();
        }
      }
    } catch (IOException gone) {
      assertTrue(!daemon.isAlive(), gone.toString());
    }
  }

  private static long count(ServeProcess daemon) throws IOException, InterruptedException {
    String answer = daemon.get("/v1/query?stats=count").body();
    return Long.parseLong(answer.replaceAll("\\D", ""));
  }

  @Test
  void killedInTheMiddleItIsStoredWholeAndOnce() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
      sendUntilKilled(daemon, 0, 20);
    }
    long kept;
    try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
      kept = count(daemon);
      sendUntilKilled(daemon, 7, 11); // a repeat that begins elsewhere
    }
    try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
      assertTrue(kept > 0 && count(daemon) >= kept, "kept %d".formatted(kept));
      for (int time = 0; time < 2; time++) { // acknowledged requests are retried, too
        try (Upload upload = new Upload(daemon.port(), "/upload")) {
          for (int from = 0; from < ENTRIES; from += PIECE) {
            upload.send(piece(from, ""));
          }
          assertEquals("202 OK.\n", upload.end());
        }
        assertEquals(ENTRIES, count(daemon));
      }
      daemon.kill();
    }
    try (ServeProcess daemon = ServeProcess.start(data, ServeProcess.small(0))) {
      assertEquals(ENTRIES, count(daemon));
      List<String> lines =
          daemon
              .get("/v1/query?limit=" + (ENTRIES + 1))
              .body()
              .lines()
              .filter(line -> line.contains("\"body\""))
              .map(line -> line.replaceAll(".*\"body\":\"(line \\d+)\".*", "$1"))
              .distinct()
              .toList();
      assertEquals(ENTRIES, lines.size());
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }

  @Test
  void anUploadMayBeFarLargerThanTheHeap() throws IOException, InterruptedException {
    int pieces = 500;
    byte[][] sent = new byte[8][];
    try (ServeProcess daemon =
        ServeProcess.startWith(
            List.of("-Xmx64m"), directory.resolve("d"), "--set", "body-bytes-max=65536")) {
      long bytes = 0;
      try (Upload upload = new Upload(daemon.port(), "/upload")) {
        for (int i = 0; i < pieces; i++) {
          if (i < sent.length) {
            sent[i] = piece(PIECE * i, "x".repeat(900));
          }
          upload.send(sent[i % sent.length]);
          bytes += sent[i % sent.length].length;
        }
        assertEquals("202 OK.\n", upload.end(), daemon.output());
      }
      assertTrue(bytes > 3L * (64 << 20), "sent " + bytes);
      assertEquals((long) PIECE * sent.length, count(daemon));
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }
}
