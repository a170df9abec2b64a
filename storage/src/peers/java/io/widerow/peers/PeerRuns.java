package io.widerow.peers;

import io.widerow.faults.AccessLogEvents;
import io.widerow.storage.Durability;

import io.widerow.event.EventBatch;
import io.widerow.peers.PeerStore.Scanned;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/// Benchmark of stores against each other on the same events, in the order A B B A in one process.
/// It prints every run and the medians. Generating the events is not timed. See the profile
/// `peers`.
///
/// ```
/// PeerRuns <events> <rounds> <store,store>      one round is A B B A
/// ```
final class PeerRuns {
  /// The stores by name; each is opened in an empty directory.
  private static final Map<String, Function<Path, PeerStore>> STORES =
      Map.of(
          "rocksdb",
          RocksPeer::new,
          "widerow-os",
          directory -> new WiderowPeer(directory, Durability.OS, 1),
          "widerow-os-16-shards",
          directory -> new WiderowPeer(directory, Durability.OS, 16),
          "widerow-disk",
          directory -> new WiderowPeer(directory, Durability.DISK, 1));

  private static final int WARM_UP_PART = 8;

  /// Events to recover: as many as the log of either store holds before the first flush.
  private static final int RECOVERED_EVENTS = 200_000;

  private static final int BATCH_EVENTS = 1_000;
  private static final int LATEST_EVENTS = 100;
  private static final int LATEST_CALLS = 200;
  private static final long SEED = 20_261_120;

  /// One store's figures of one run.
  ///
  /// @param scanned result of the full scan
  /// @param append events a second, until the last append returned
  /// @param appendFlushed events a second, until everything was at rest
  /// @param scan events a second
  /// @param latestMicros median time of reading the latest 100
  /// @param recovery events a second, of [#RECOVERED_EVENTS] that were only in the log
  private record Run(
      Scanned scanned,
      double append,
      double appendFlushed,
      double scan,
      double latestMicros,
      double bytesPerEvent,
      double recovery) {
    @Override
    public String toString() {
      return String.format(
          Locale.ROOT,
          "append %,11.0f /s   until at rest %,11.0f /s   scan %,11.0f /s"
              + "   latest 100 %,8.0f us   disk %6.1f B/event   recovery %,9.0f /s",
          append,
          appendFlushed,
          scan,
          latestMicros,
          bytesPerEvent,
          recovery);
    }
  }

  private PeerRuns() {}

  public static void main(String[] args) throws IOException {
    int events = Integer.parseInt(args[0]);
    int rounds = Integer.parseInt(args[1]);
    List<String> names = List.of(args[2].split(",", -1));
    List<String> order = new ArrayList<>(names);
    order.addAll(names.reversed());
    Map<String, List<Run>> runs = new LinkedHashMap<>();
    Set<Scanned> scanned = new HashSet<>();
    for (String name : names) {
      run(name, events / WARM_UP_PART); // warms up; not measured
    }
    for (int round = 0; round < rounds; round++) {
      for (String name : order) {
        Run run = run(name, events);
        runs.computeIfAbsent(name, _ -> new ArrayList<>()).add(run);
        System.out.println(name + ": " + run);
        scanned.add(run.scanned);
      }
    }
    if (scanned.size() != 1) {
      throw new IllegalStateException("the stores read different events: " + scanned);
    }
    runs.forEach((name, all) -> System.out.println("median of " + name + ": " + median(all)));
  }

  private static Run run(String name, int events) throws IOException {
    Function<Path, PeerStore> opener = STORES.get(name);
    if (opener == null) {
      throw new IllegalArgumentException("no store " + name + " among " + STORES.keySet());
    }
    Path directory = Files.createTempDirectory(Path.of("target"), name);
    double recovery = recovery(opener);
    try (PeerStore store = opener.apply(directory)) {
      long start = System.nanoTime();
      long making = append(store, events);
      long appended = System.nanoTime() - start - making;
      store.flush();
      long flushed = System.nanoTime() - start - making;
      long scanFrom = System.nanoTime();
      Scanned scanned = store.scan();
      long scan = System.nanoTime() - scanFrom;
      if (scanned.events() != events) {
        throw new IllegalStateException(name + " has " + scanned);
      }
      double latest = latestMicros(store);
      return new Run(
          scanned,
          perSecond(events, appended),
          perSecond(events, flushed),
          perSecond(events, scan),
          latest,
          (double) bytesIn(directory) / events,
          recovery);
    } finally {
      delete(directory);
    }
  }

  /// Appends the first events and returns the nanoseconds that generating them took.
  private static long append(PeerStore store, int events) {
    long making = 0;
    var source = AccessLogEvents.of(SEED);
    try (var batch = new EventBatch(1 << 20, 16 << 20)) {
      while (source.made() < events) {
        long from = System.nanoTime();
        batch.clear();
        source.fill(batch, (int) Math.min(BATCH_EVENTS, events - source.made()));
        making += System.nanoTime() - from;
        store.append(batch);
      }
    }
    return making;
  }

  /// Copies the directory of a running store, which is what its process would leave if it were
  /// killed, and opens the copy: this reads the log and flushes its content.
  private static double recovery(Function<Path, PeerStore> opener) throws IOException {
    Path directory = Files.createTempDirectory(Path.of("target"), "killed");
    Path copy = Files.createTempDirectory(Path.of("target"), "copy");
    try {
      try (PeerStore store = opener.apply(directory)) {
        long _ = append(store, RECOVERED_EVENTS);
        copy(directory, copy);
      }
      long from = System.nanoTime();
      try (PeerStore again = opener.apply(copy)) {
        long nanos = System.nanoTime() - from;
        Scanned scanned = again.scan();
        if (scanned.events() != RECOVERED_EVENTS) {
          throw new IllegalStateException("recovered " + scanned);
        }
        return perSecond(RECOVERED_EVENTS, nanos);
      }
    } finally {
      delete(directory);
      delete(copy);
    }
  }

  private static void copy(Path source, Path target) throws IOException {
    try (var files = Files.walk(source)) {
      for (Path path : files.skip(1).toList()) {
        Path to = target.resolve(source.relativize(path));
        if (Files.isDirectory(path)) {
          Files.createDirectory(to);
        } else {
          Files.copy(path, to);
        }
      }
    }
  }

  private static double latestMicros(PeerStore store) {
    long[] nanos = new long[LATEST_CALLS];
    for (int i = 0; i < LATEST_CALLS; i++) {
      long from = System.nanoTime();
      Scanned latest = store.latest(LATEST_EVENTS);
      nanos[i] = System.nanoTime() - from;
      if (latest.events() != LATEST_EVENTS) {
        throw new IllegalStateException("latest: " + latest);
      }
    }
    Arrays.sort(nanos);
    return nanos[LATEST_CALLS / 2] / 1e3;
  }

  private static Run median(List<Run> runs) {
    return new Run(
        runs.getFirst().scanned,
        median(runs, Run::append),
        median(runs, Run::appendFlushed),
        median(runs, Run::scan),
        median(runs, Run::latestMicros),
        median(runs, Run::bytesPerEvent),
        median(runs, Run::recovery));
  }

  /// With an even number of runs, the mean of the two in the middle.
  private static double median(List<Run> runs, Function<Run, Double> figure) {
    List<Double> sorted = new ArrayList<>(runs.stream().map(figure).toList());
    Collections.sort(sorted);
    int middle = sorted.size() / 2;
    return sorted.size() % 2 == 1
        ? sorted.get(middle)
        : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
  }

  private static double perSecond(long events, long nanos) {
    return events * 1e9 / nanos;
  }

  private static long bytesIn(Path directory) throws IOException {
    try (var files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(file -> file.toFile().length()).sum();
    }
  }

  private static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (var files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }
}
