package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import io.widerow.faults.Await;
import io.widerow.faults.FaultRecords;
import io.widerow.faults.LedgerLoad;
import io.widerow.faults.QuickJvm;
import io.widerow.faults.Seeds;
import io.widerow.faults.ServeProcess;
import io.widerow.storage.repair.StoreVerifier;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a snapshot of a daemon under load is a whole store with every batch that was acknowledged
/// before the request, each once and in order. A daemon that is killed while it makes one loses
/// nothing, and an unfinished snapshot is never taken for a store. Method: the daemon as a process,
/// senders with a ledger, and files so small that each snapshot overlaps sealing, merging and a
/// change of journal file. A second daemon opens the snapshot and is checked against the ledger.
/// `-Dsnapshots=<n>` makes more in the profile `faults`; `-Dseed=<n>` repeats the times of a run.
@Timeout(value = 4, unit = TimeUnit.HOURS)
@Tag("process")
class SnapshotTest {
  private static final int SENDERS = 4;
  private static final int SNAPSHOTS_A_STORE = 20; // the whole store is read back every time
  private static final String[] SMALL = ServeProcess.small(0);

  @TempDir private Path directory = Path.of(".");

  private final long seed = Seeds.one();
  private final SplittableRandom random = new SplittableRandom(seed);
  private long[] millis = new long[0];
  private long batches;
  private long repeats;
  private long recognised;
  private int killed;

  @Test
  void aFewSnapshotsAreConsistent() throws IOException, InterruptedException {
    snapshots(4);
  }

  @Test
  @Tag("faults")
  void manySnapshotsAreConsistent() throws IOException, InterruptedException {
    snapshots(Integer.getInteger("snapshots", 1_000));
  }

  private void snapshots(int times) throws IOException, InterruptedException {
    QuickJvm jvm = QuickJvm.shared();
    for (int done = 0; done < times; done += SNAPSHOTS_A_STORE) {
      Path work = Files.createDirectory(directory.resolve("store-" + done));
      snapshotOneStore(jvm, work.resolve("d"), Math.min(SNAPSHOTS_A_STORE, times - done));
      ServeProcess.delete(work);
    }
    Arrays.sort(millis);
    System.out.printf(
        "seed %d: %d snapshots under load, %d batches acknowledged, %d daemons killed meanwhile;"
            + " inconsistent 0; made within p50 %d ms, max %d ms%n",
        seed, millis.length, batches, killed, millis[millis.length / 2], millis[millis.length - 1]);
    FaultRecords.add(
        "snapshot under load, ms to make; killed during it " + killed,
        millis.length,
        new FaultRecords.Batches(batches, repeats, recognised),
        millis);
  }

  private void snapshotOneStore(QuickJvm jvm, Path data, int times)
      throws IOException, InterruptedException {
    Path copies = data.resolveSibling("d-snapshots");
    ServeProcess daemon = ServeProcess.start(jvm, data, SMALL);
    try (LedgerLoad load = new LedgerLoad(SENDERS, daemon.port())) {
      for (int i = 0; i < times; i++) {
        load.awaitMore(random.nextInt(1, 120));
        LedgerLoad.Ledger promised = load.ledger();
        long start = System.nanoTime();
        assertEquals(0, snapshot("--url", url(daemon), "--to", "s"));
        millis = Arrays.copyOf(millis, millis.length + 1);
        millis[millis.length - 1] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
        load.awaitMore(1); // later events must not change it
        load.hold(true); // while the other daemon is checked
        check(jvm, load, copies.resolve("s"), promised);
        load.hold(false);
        ServeProcess.delete(copies.resolve("s"));
        if (i % 5 == 2) {
          daemon = killWhileMaking(jvm, daemon, data);
          load.moveTo(daemon.port());
          load.verifyAcknowledged();
        }
      }
      load.end();
      load.verify();
      batches += load.acknowledged();
      repeats += load.repeats();
      recognised += load.recognised();
      assertEquals(0, daemon.stop(60), daemon.output());
      stopped(jvm, load, data);
    } finally {
      daemon.close();
    }
  }

  private void check(QuickJvm jvm, LedgerLoad load, Path copy, LedgerLoad.Ledger promised)
      throws IOException, InterruptedException {
    assertEquals(List.of(), StoreVerifier.verify(copy).damage());
    try (ServeProcess opened = ServeProcess.start(jvm, copy, SMALL)) {
      load.verify(opened.port(), promised);
      assertEquals(0, opened.stop(60), opened.output());
    }
  }

  /// An unfinished snapshot has no FORMAT file under its name, and the next snapshot deletes it.
  private ServeProcess killWhileMaking(QuickJvm jvm, ServeProcess daemon, Path data)
      throws IOException, InterruptedException {
    Path copies = data.resolveSibling("d-snapshots");
    Thread asking = Thread.ofPlatform().start(() -> snapshot("--url", url(daemon), "--to", "k"));
    Await.pauseNanos(random.nextLong(30_000_000));
    daemon.kill();
    killed++;
    asking.join();
    Path made = copies.resolve("k");
    if (Files.exists(made)) {
      assertEquals(List.of(), StoreVerifier.verify(made).damage());
      ServeProcess.delete(made);
    }
    ServeProcess next = ServeProcess.start(jvm, data, SMALL);
    assertEquals(0, snapshot("--url", url(next), "--to", "k"));
    try (Stream<Path> left = Files.list(copies)) {
      assertEquals(
          List.of(made),
          left.filter(path -> path.getFileName().toString().startsWith("k")).toList());
    }
    ServeProcess.delete(made);
    return next;
  }

  /// A stopped store can be copied to any directory.
  private void stopped(QuickJvm jvm, LedgerLoad load, Path data)
      throws IOException, InterruptedException {
    Path copy = data.resolveSibling("stopped");
    assertEquals(0, snapshot("--data", data.toString(), "--to", copy.toString()));
    check(jvm, load, copy, load.ledger());
    assertEquals(66, snapshot("--data", data.toString(), "--to", copy.toString()));
    check(jvm, load, data, load.ledger());
  }

  private static String url(ServeProcess daemon) {
    return "http://127.0.0.1:" + daemon.port();
  }

  private static int snapshot(String... arguments) {
    Shell shell =
        new Shell(
            new ByteArrayOutputStream(),
            new PrintStream(new ByteArrayOutputStream(), true, StandardCharsets.UTF_8),
            false,
            false,
            true,
            Map.of());
    return Main.commandLine(shell, "snapshot").execute(arguments);
  }

  @Test
  void aNameCannotLeadOutOfTheDirectory() throws IOException, InterruptedException {
    Path data = directory.resolve("d");
    try (ServeProcess daemon = ServeProcess.start(data, SMALL);
        HttpClient client = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build()) {
      for (String name :
          List.of(
              "..%2Fx", "%2Ftmp%2Fx", ".", "..", ".x", "a%2Fb", "", "a%00", "x.tmp", "%C3%A4")) {
        assertEquals(400, post(client, daemon, "?name=" + name).statusCode(), name);
      }
      assertEquals(400, post(client, daemon, "").statusCode());
      HttpResponse<String> made = post(client, daemon, "?name=a-b_c.1");
      assertEquals(200, made.statusCode(), made.body());
      assertTrue(Files.exists(directory.resolve("d-snapshots/a-b_c.1/FORMAT")), made.body());
      HttpResponse<String> again = post(client, daemon, "?name=a-b_c.1");
      assertEquals(409, again.statusCode(), again.body());
    }
    try (Stream<Path> made = Files.list(directory.resolve("d-snapshots"))) {
      assertEquals(1, made.count());
    }
  }

  private static HttpResponse<String> post(HttpClient client, ServeProcess daemon, String query)
      throws IOException, InterruptedException {
    URI uri = URI.create(url(daemon) + "/v1/admin/snapshot" + query);
    return client.send(
        HttpRequest.newBuilder(uri).POST(BodyPublishers.noBody()).build(), BodyHandlers.ofString());
  }
}
