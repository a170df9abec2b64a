package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

import io.widerow.faults.LedgerLoad;
import io.widerow.faults.RawHttp;
import io.widerow.faults.ServeProcess;
import io.widerow.ingest.config.FileBudget;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a daemon with a low limit of open files logs it and does not start, or serves as many
/// connections as it can, refuses the others, and serves new ones when they have gone. A small heap
/// is enough. Nothing acknowledged is lost. Method: the daemon as a process under `prlimit` or with
/// a small heap, senders with a ledger, and more connections than it can have.
@Timeout(value = 10, unit = TimeUnit.MINUTES)
@Tag("process")
class FewResourcesTest {
  private static final Path PRLIMIT = Path.of("/usr/bin/prlimit");

  private static final List<String> SMALL_HEAP =
      List.of("-Xmx64m", "-XX:MaxDirectMemorySize=32m", "-XX:+ExitOnOutOfMemoryError");
  private static final int FILES = (int) FileBudget.least(2);

  @TempDir private Path directory = Path.of(".");

  private static List<String> files(int most) {
    if (!Files.isExecutable(PRLIMIT)) {
      abort("no prlimit: apt-get install util-linux");
    }
    return List.of(PRLIMIT.toString(), "--nofile=" + most);
  }

  @Test
  void tooFewFilesAreNamed() throws IOException {
    IOException refused =
        assertThrows(
            IOException.class,
            () ->
                ServeProcess.startUnder(
                    files(FILES - 1), directory, directory.resolve("d"), ServeProcess.small(0)));
    String told = String.valueOf(refused.getMessage());
    assertTrue(told.startsWith("ended with 71"), told);
    assertTrue(told.contains(FILES - 1 + " files"), told);
    assertTrue(told.contains("LimitNOFILE"), told);
    assertTrue(Files.notExists(directory.resolve("d")), "a store was created");
  }

  /// When even the JVM could not load the daemon, the launcher says so.
  @Test
  void theLauncherNamesTooFewFiles() throws IOException, InterruptedException {
    List<String> command = new ArrayList<>(files(64));
    command.addAll(List.of(Path.of("../../widerow").toString(), "serve"));
    Process refused = new ProcessBuilder(command).redirectErrorStream(true).start();
    String told = new String(refused.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertEquals(71, refused.waitFor(), told);
    assertTrue(told.contains("64 files") && told.contains("LimitNOFILE"), told);
  }

  @Test
  void moreConnectionsThanFilesAreRefusedAndOthersServed() throws Exception {
    ServeProcess daemon =
        ServeProcess.startUnder(
            files(FILES), directory, directory.resolve("d"), ServeProcess.small(0));
    try (daemon;
        LedgerLoad load = new LedgerLoad(4, daemon.port())) {
      load.awaitMore(50);
      List<RawHttp> held = new ArrayList<>();
      for (int i = 0; i < 2 * FILES; i++) {
        held.add(new RawHttp(daemon.port()));
      }
      load.awaitMore(50); // meanwhile rows are sealed and journal files created
      for (RawHttp each : held) {
        each.close();
      }
      load.awaitMore(50);
      load.end();
      load.verify();
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }

  /// No limit for clients is configured: all follow from the heap.
  @Test
  void aHeapOf64MiBSurvivesEndlessBodies() throws Exception {
    ServeProcess daemon =
        ServeProcess.startWith(SMALL_HEAP, directory.resolve("d"), ServeProcess.small(0));
    byte[] chunk = ("10000\r\n" + "a".repeat(0x10000) + "\r\n").getBytes(StandardCharsets.US_ASCII);
    try (daemon;
        LedgerLoad load = new LedgerLoad(2, daemon.port());
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
      List<Future<Integer>> told = new ArrayList<>();
      for (int i = 0; i < 24; i++) {
        told.add(
            threads.submit(() -> {
              try (RawHttp raw = new RawHttp(daemon.port())) {
                raw.send(RawHttp.post("endless") + "transfer-encoding: chunked\r\n\r\n");
                long _ = raw.sendUntilEnded(chunk, 1L << 30);
                return raw.status();
              }
            }));
      }
      for (Future<Integer> each : told) {
        assertTrue(List.of(0, 413, 503).contains(each.get()), "status " + each.get());
      }
      load.awaitMore(20);
      load.end();
      load.verify();
      assertEquals(0, daemon.stop(60), daemon.output());
    }
  }

  @Test
  void aHeapOf64MiBIsEnough() throws Exception {
    Path data = directory.resolve("d");
    ServeProcess daemon = ServeProcess.startWith(SMALL_HEAP, data, ServeProcess.small(0));
    try (LedgerLoad load = new LedgerLoad(4, daemon.port())) {
      load.awaitMore(400);
      load.verifyAcknowledged();
      load.end();
      load.verify();
      assertEquals(0, daemon.stop(60), daemon.output());
    } finally {
      daemon.close();
    }
  }
}
