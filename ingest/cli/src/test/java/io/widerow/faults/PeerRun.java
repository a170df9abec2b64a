package io.widerow.faults;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Runs one peer through all its faults. When it does not recover without help, this is counted,
/// and the next fault gets a new store.
///
/// - Threads: one.
public final class PeerRun implements AutoCloseable {
  private static final int SENDERS = 4;
  private static final long START_NANOS = TimeUnit.SECONDS.toNanos(120);
  private static final long SERVE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private final Peer peer;
  private final int port;
  private final Path data;
  private final Path log;
  private final @Nullable FaultDisk disk;
  private final Figures figures = new Figures();
  private final BitSet[] known = new BitSet[SENDERS]; // batches already counted as lost
  private @Nullable Process process;
  private @Nullable LedgerLoad load;

  /// The counts.
  public static final class Figures {
    public long acknowledged;
    public long lost;
    public long twice;
    public long corrupt;
    public long servesNoMore;
    public long unread;
    private final List<Long> millis = new ArrayList<>();

    public long[] startMillis() {
      return millis.stream().mapToLong(Long::longValue).toArray();
    }

    @Override
    public String toString() {
      return ("%d batches acknowledged, lost %d, rows twice %d, corrupt %d; did not serve again %d"
              + " times, with %d batches; starts %s ms")
          .formatted(acknowledged, lost, twice, corrupt, servesNoMore, unread, millis);
    }
  }

  /// @param data directory without a store yet
  /// @param logs a directory on a disk that does not fail
  public PeerRun(Peer peer, int port, Path data, Path logs, @Nullable FaultDisk disk) {
    this.peer = peer;
    this.port = port;
    this.data = data;
    this.log = logs.resolve("peer.log");
    this.disk = disk;
  }

  /// Sends until so many more batches are acknowledged, by an existing store or a new one.
  public void load(int batches) throws IOException, InterruptedException {
    LedgerLoad senders = load;
    if (senders == null) {
      String failure = start(false);
      if (failure != null) {
        throw new IOException("a new store does not start: " + failure);
      }
      if (disk != null) {
        disk.force(); // losing its empty table is not the subject
      }
      for (int sender = 0; sender < SENDERS; sender++) {
        known[sender] = new BitSet();
      }
      senders = new LedgerLoad(SENDERS, port, peer::send);
      load = senders;
    }
    if (!awaitMore(senders, batches)) {
      servesNoMore("takes no batch");
      load(batches);
    }
  }

  private static boolean awaitMore(LedgerLoad senders, int batches) {
    long until = senders.acknowledged() + batches;
    long last = senders.acknowledged();
    long end = System.nanoTime() + SERVE_NANOS;
    while (senders.acknowledged() < until) {
      if (senders.acknowledged() > last) {
        last = senders.acknowledged();
        end = System.nanoTime() + SERVE_NANOS;
      } else if (System.nanoTime() > end) {
        return false;
      }
      Await.pauseNanos(1_000_000);
    }
    return true;
  }

  /// `kill -9`.
  public void kill() throws InterruptedException {
    Process running = process;
    if (running != null) {
      running.destroyForcibly();
      int _ = running.waitFor();
    }
  }

  /// Cuts the power of its disk, and restores it.
  public void cut(FaultDisk of, long seed, double keep) throws IOException, InterruptedException {
    LedgerLoad senders = load;
    if (senders != null) {
      senders.cutOff();
    }
    of.cut(seed, keep);
    kill();
    of.restore();
  }

  /// Starts it again and checks what it shows against the ledger.
  public void check() throws IOException, InterruptedException {
    LedgerLoad senders = load;
    if (senders == null) {
      throw new IllegalStateException("checked before it was loaded");
    }
    senders.hold(true);
    LedgerLoad.Ledger promised = senders.ledger();
    String failure = start(true);
    if (failure != null) {
      servesNoMore(failure);
      return;
    }
    try {
      count(promised);
    } catch (IOException unread) {
      servesNoMore(String.valueOf(unread.getMessage()));
      return;
    }
    senders.moveTo(port);
    senders.hold(false);
  }

  private void count(LedgerLoad.Ledger promised) throws IOException, InterruptedException {
    BitSet[] seen = new BitSet[SENDERS];
    for (int sender = 0; sender < SENDERS; sender++) {
      seen[sender] = new BitSet();
    }
    long[] wrong = new long[2]; // corrupt, duplicated
    peer.read(
        port,
        (sender, n, body) -> {
          if (sender < 0 || sender >= SENDERS || n < 0 || !body.equals(Peer.body(sender, n))) {
            wrong[0]++;
          } else if (seen[sender].get(n)) {
            wrong[1]++;
          } else {
            seen[sender].set(n);
          }
        });
    figures.corrupt += wrong[0];
    figures.twice += wrong[1];
    for (int sender = 0; sender < SENDERS; sender++) {
      for (int batch = 0; batch < promised.batches().get(sender); batch++) {
        int first = batch * LedgerLoad.EVENTS_PER_BATCH;
        int limit = first + LedgerLoad.EVENTS_PER_BATCH;
        if (seen[sender].nextClearBit(first) < limit && !known[sender].get(batch)) {
          known[sender].set(batch);
          figures.lost++;
        }
      }
    }
  }

  /// @return why it does not answer; null when it does
  private @Nullable String start(boolean again) throws IOException, InterruptedException {
    long start = System.nanoTime();
    Process started =
        new ProcessBuilder(peer.command(data, port, again))
            .redirectErrorStream(true)
            .redirectOutput(log.toFile())
            .start();
    process = started;
    while (System.nanoTime() - start < START_NANOS) {
      if (!started.isAlive()) {
        return "it ended with " + started.exitValue() + ": " + tail();
      }
      try {
        peer.ready(port);
        if (again) {
          figures.millis.add(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start));
        }
        return null;
      } catch (IOException notYet) {
        Await.pauseNanos(20_000_000);
      }
    }
    return "it does not answer: " + tail();
  }

  private String tail() throws IOException {
    List<String> lines = Files.readAllLines(log);
    return String.join("\n", lines.subList(Math.max(0, lines.size() - 20), lines.size()));
  }

  private void servesNoMore(String why) throws IOException, InterruptedException {
    System.out.println("does not serve again: " + why);
    LedgerLoad senders = load;
    if (senders != null) {
      figures.servesNoMore++;
      figures.unread += senders.acknowledged();
      figures.acknowledged += senders.acknowledged();
      senders.close();
      load = null;
    }
    kill();
    ServeProcess.delete(data);
  }

  /// Ends the senders and returns the counts.
  public Figures end() {
    LedgerLoad senders = load;
    if (senders != null) {
      figures.acknowledged += senders.acknowledged();
      senders.close();
      load = null;
    }
    return figures;
  }

  @Override
  public void close() {
    Figures _ = end();
    try {
      kill();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
