package io.widerow.cli.cluster;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import io.widerow.cluster.CassandraNode;
import io.widerow.faults.Await;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.BitSet;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: while its cluster is away a daemon takes events at the level `disk`, claims `quorum` for
/// none, applies all within half of that time after the return, and a tail shows each event once.
/// Method: a daemon and a node as processes, events at an even rate, the node killed and started
/// again; one of 40 batches asks for `quorum`. `-Dcluster.away=<seconds>`,
/// `-Dcluster.rate=<events/s>`.
@Tag("cluster")
class ClusterAwayTest {
  private static final int AWAY = Integer.getInteger("cluster.away", 60);
  private static final int RATE = Integer.getInteger("cluster.rate", 50_000);
  private static final int BATCH = 1_000;
  private static final int QUORUM_EVERY = 40;
  private static final int BEFORE = 5; // seconds, as is the next
  private static final int APPLIED_WITHIN_LEAST = 15;
  private static final Pattern PENDING = Pattern.compile("\"pendingEvents\":(\\d+)");
  private static final Pattern NUMBER = Pattern.compile("\"n\":(\\d+)");

  @BeforeAll
  static void node() {
    CassandraNode.require();
  }

  @Test
  void nothingIsLostAndNothingIsClaimed(@TempDir Path directory) throws Exception {
    int events = (BEFORE + AWAY) * RATE / BATCH * BATCH;
    Shown shown = new Shown(events);
    try (CassandraNode node = CassandraNode.start();
        ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
        ServeProcess daemon =
            ServeProcess.start(
                directory.resolve("data"),
                "--set",
                "store=" + node.uri("away"),
                "--set",
                "quorum-wait=2s")) {
      CompletableFuture<Integer> tail =
          CompletableFuture.supplyAsync(() -> tail(daemon.port(), events, shown), threads);
      shown.awaitFollowing();
      CompletableFuture<List<PacedSender.Answer>> sending =
          CompletableFuture.supplyAsync(
              () ->
                  new PacedSender(daemon.port(), RATE, BATCH)
                      .send(0, events / BATCH, batch -> batch % QUORUM_EVERY == 0),
              threads);
      park(BEFORE);
      node.kill();
      long gone = System.nanoTime();
      park(AWAY);
      long pending = pending(daemon.port());
      node.restart();
      long back = System.nanoTime();
      List<PacedSender.Answer> answers = sending.join();
      Await.until(
          () -> pending(daemon.port()) == 0, Duration.ofMinutes(30), "the backlog is applied");
      double applied = (System.nanoTime() - back) / 1e9;
      assertEquals(0, ended(tail, threads), shown::toString);
      assertEquals(events, shown.count(), "events of the tail");
      System.out.printf(
          "%d events at %d/s, away for %d s: %d waited; all applied %.1f s after the return%n",
          events, RATE, AWAY, pending, applied);
      require(answers, gone, back);
      assertTrue(pending > RATE * (long) AWAY * 9 / 10, pending + " waited: the rate was lower");
      int within = Math.max(AWAY / 2, APPLIED_WITHIN_LEAST);
      assertTrue(applied <= within, applied + " s to apply, " + within + " were allowed");
    }
  }

  /// The exit code of a tail that shows everything applied. It reads about as fast as its sender
  /// sent, so that it may be as long behind as the cluster was away.
  private static int ended(CompletableFuture<Integer> tail, ExecutorService threads)
      throws Exception {
    try {
      return tail.get(2 * 60 + 2 * AWAY, TimeUnit.SECONDS);
    } catch (TimeoutException late) {
      threads.shutdownNow(); // else it would wait for the daemon for ever
      throw late;
    }
  }

  private static void park(int seconds) {
    Await.pause(Duration.ofSeconds(seconds));
  }

  private static void require(List<PacedSender.Answer> answers, long gone, long back) {
    int late = 0;
    for (PacedSender.Answer answer : answers) {
      if (answer.dueNanos() > gone && answer.atNanos() < back) {
        assertTrue(!answer.claimsQuorum(), () -> "quorum while it is away: " + answer);
      }
      if (answer.atQuorum()) {
        assertEquals(answer.claimsQuorum() ? 200 : 202, answer.status(), answer::toString);
        late += answer.status() == 202 ? 1 : 0;
      } else {
        assertEquals(200, answer.status(), answer::toString);
      }
      assertTrue(answer.body().contains("\"accepted\":" + BATCH), answer::toString);
    }
    assertTrue(late > 0, "no batch waited in vain for quorum");
  }

  private static long pending(int port) throws IOException, InterruptedException {
    try (HttpClient client = HttpClient.newHttpClient()) {
      HttpRequest status =
          HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + "/v1/status")).build();
      String body = client.send(status, BodyHandlers.ofString()).body();
      Matcher found = PENDING.matcher(body);
      assertTrue(found.find(), body);
      return Long.parseLong(found.group(1));
    }
  }

  private static int tail(int port, int events, Shown shown) {
    Shell shell =
        new Shell(
            shown,
            new PrintStream(shown.told, true, StandardCharsets.UTF_8),
            false,
            false,
            false,
            Map.of());
    return Main.commandLine(shell, "tail")
        .execute(
            "paced",
            "--url",
            "http://127.0.0.1:" + port,
            "--mode",
            "now",
            "--fields",
            "n",
            "--output",
            "json",
            "--limit",
            Integer.toString(events));
  }

  /// What the tail writes: each number once.
  private static final class Shown extends OutputStream {
    private final BitSet numbers;
    private final StringBuilder line = new StringBuilder();
    private final CompletableFuture<Void> following = new CompletableFuture<>();
    private final StringBuilder words = new StringBuilder();

    /// Standard error of the tail.
    final OutputStream told =
        new OutputStream() {
          @Override
          public void write(int b) {
            words.append((char) b);
            if (b == '\n') {
              following.complete(null);
            }
          }
        };

    Shown(int events) {
      this.numbers = new BitSet(events);
    }

    void awaitFollowing() throws Exception {
      following.get(1, TimeUnit.MINUTES);
    }

    synchronized int count() {
      return numbers.cardinality();
    }

    @Override
    public synchronized void write(int b) {
      if (b != '\n') {
        line.append((char) b);
        return;
      }
      Matcher found = NUMBER.matcher(line);
      if (!found.find()) {
        throw new AssertionError("no number in " + line);
      }
      int number = Integer.parseInt(found.group(1));
      if (numbers.get(number)) {
        throw new AssertionError("the tail shows again: " + line);
      }
      numbers.set(number);
      line.setLength(0);
    }

    @Override
    public String toString() {
      return count() + " events, and: " + words;
    }
  }
}
