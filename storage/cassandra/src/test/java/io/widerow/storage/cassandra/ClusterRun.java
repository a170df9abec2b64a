package io.widerow.storage.cassandra;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreView;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Collections;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/// Numbered batches through several stores on one cluster, each a process. A test kills some of
/// them while batches are sent. A third of the batches goes to two stores at once, with one key.
/// Everything promised must be there once, and all stores must show the same bytes.
///
/// - Threads: one. Another one may call [#look] concurrently.
final class ClusterRun implements AutoCloseable {
  private static final int WINDOW = 24;
  private static final int BATCH_MAX = 400;

  /// The faults of a test: called before each batch.
  interface Meanwhile {
    void before(ClusterRun run, int batch) throws Exception;
  }

  private static final class Batch {
    final int id;
    final int first;
    final int count;
    final boolean keyed;
    boolean promised; // on the disk of a store that has not lost it, or applied
    volatile boolean applied;
    String by = "";
    final BitSet at = new BitSet(); // stores that it was sent to

    Batch(int id, int first, int count, boolean keyed) {
      this.id = id;
      this.first = first;
      this.count = count;
      this.keyed = keyed;
    }

    @Override
    public String toString() {
      return "batch %d, events %d to %d, %s, applied by%s"
          .formatted(id, first, first + count - 1, keyed ? "with a key" : "without key", by);
    }
  }

  final SplittableRandom random;
  final List<StoreProcess> stores = new ArrayList<>();
  private final RunEvents events;
  private final Path directory;
  private final String uri;
  private final Duration patience;
  private final BlockingQueue<StoreProcess.Said> said = new LinkedBlockingQueue<>();
  private final List<Batch> batches = Collections.synchronizedList(new ArrayList<>());
  private final EventStore reading;
  private final SplittableRandom looking; // guarded by this, as are the next four
  private final BitSet tailed = new BitSet();
  private @Nullable Arrivals position;
  private int looks;
  private int looksRefused;
  private int kills;

  /// @param patience the longest that nothing may become durable
  ClusterRun(Path directory, String uri, int stores, int events, long seed, Duration patience) {
    this.random = new SplittableRandom(seed);
    this.looking = new SplittableRandom(~seed);
    this.events = new RunEvents(events);
    this.directory = directory;
    this.uri = uri;
    this.patience = patience;
    add(0);
    reading = openForReading();
    for (int store = 1; store < stores; store++) {
      add(store);
    }
  }

  private EventStore openForReading() {
    try {
      awaitWord("open", stores.getFirst()); // it makes the tables
    } catch (InterruptedException interrupt) {
      throw new IllegalStateException(interrupt);
    }
    return ClusterStores.openForReading(
        ClusterOptions.at(StoreUri.parse(uri)).withRequestTimeout(Duration.ofSeconds(3)));
  }

  private void add(int index) {
    Duration ahead = Duration.ofSeconds(index == 1 ? 30 : 0);
    stores.add(
        new StoreProcess(
            index, uri, directory.resolve("store-" + index), events.count(), ahead, said));
  }

  // Sending.

  /// Sends all events, and returns when all batches that can be are applied.
  void send(Meanwhile meanwhile) throws Exception {
    int first = 0;
    while (first < events.count()) {
      int count = Math.min(1 + random.nextInt(BATCH_MAX), events.count() - first);
      int way = random.nextInt(3);
      Batch batch = new Batch(batches.size(), first, count, way > 0);
      meanwhile.before(this, batch.id);
      batches.add(batch);
      StoreProcess one = any();
      send(batch, one);
      if (way == 2) {
        send(batch, stores.get((one.index + 1) % stores.size()));
      }
      first += count;
    }
    while (stores.stream().anyMatch(store -> !store.open.isEmpty())) {
      awaitOne();
    }
    for (StoreProcess store : stores) {
      Await.until(() -> ask(store, "p").get(1).equals("0"), "all is applied");
    }
  }

  /// Waits until all stores are open: a new one needs the cluster for its number.
  void awaitOpen() throws InterruptedException {
    for (StoreProcess store : stores) {
      ask(store, "p");
    }
  }

  StoreProcess any() {
    return stores.get(random.nextInt(stores.size()));
  }

  private void send(Batch batch, StoreProcess store) throws InterruptedException {
    while (store.open.size() >= WINDOW) {
      awaitOne();
    }
    store.open.add(batch.id);
    batch.at.set(store.index);
    store.tell("b %d %d %d %b".formatted(batch.id, batch.first, batch.count, batch.keyed));
  }

  /// Kills a store and starts it again on its directory. What it may not have is sent again where
  /// that is safe: with a key.
  void kill(StoreProcess store) throws InterruptedException {
    kills++;
    store.kill();
    while (!take(said.take())) {} // up to its end
    List<Integer> lost = List.copyOf(store.open);
    store.open.clear();
    store.start();
    for (int id : lost) {
      Batch batch = batches.get(id);
      if (batch.keyed) {
        for (StoreProcess other : stores) {
          if (!batch.at.get(other.index)) { // a daemon's ledger takes no repeat of what it has
            send(batch, other);
            break;
          }
        }
      }
    }
  }

  int kills() {
    return kills;
  }

  // Hearing.

  private void awaitOne() throws InterruptedException {
    take(next());
  }

  private StoreProcess.Said next() throws InterruptedException {
    StoreProcess.Said one = said.poll(patience.toMillis(), TimeUnit.MILLISECONDS);
    if (one == null) {
      throw new AssertionError(
          "nothing was said for %s; waiting for %s"
              .formatted(patience, stores.stream().map(store -> store.open).toList()));
    }
    return one;
  }

  /// @return true when it is the end of a process
  private boolean take(StoreProcess.Said one) {
    List<String> words = one.words();
    switch (words.get(0)) {
      case "d" -> batches.get(Integer.parseInt(words.get(1))).promised = true;
      case "q" -> {
        Batch batch = batches.get(Integer.parseInt(words.get(1)));
        batch.promised = true;
        batch.applied = true;
        batch.by += " " + one.by().index + "." + one.life();
        one.by().open.remove(batch.id);
      }
      case "failed" -> throw new AssertionError(one.by() + ": " + String.join(" ", words));
      case "end" -> {
        return true;
      }
      default -> {}
    }
    return false;
  }

  private List<String> ask(StoreProcess store, String question) throws InterruptedException {
    store.tell(question);
    return awaitWord(question, store);
  }

  private List<String> awaitWord(String word, StoreProcess store) throws InterruptedException {
    while (true) {
      StoreProcess.Said one = next();
      if (one.by() == store && one.life() == store.life() && one.words().get(0).equals(word)) {
        return one.words();
      }
      if (take(one)) {
        throw new AssertionError(one.by() + " ended");
      }
    }
  }

  // Checking.

  private static int count(BitSet shown, Batch batch) {
    return shown.get(batch.first, batch.first + batch.count).cardinality();
  }

  /// Checks the events that are shown now: every applied event, once, in order, batches whole; and
  /// the tail has shown each event once. A look that fails, because the cluster does not respond,
  /// must name the data that could not be read.
  synchronized void look() {
    List<Batch> applied;
    synchronized (batches) {
      applied = batches.stream().filter(batch -> batch.applied).toList();
    }
    looks++;
    try (StoreView view = reading.view()) {
      BitSet shown = WholeRead.of(view, looking.nextBoolean(), true).numbers();
      List<String> gone =
          applied.stream()
              .filter(batch -> count(shown, batch) < batch.count)
              .map(batch -> batch + ": " + count(shown, batch))
              .toList();
      assertTrue(
          gone.isEmpty(), () -> "applied and not shown in %s: %s".formatted(view.arrivals(), gone));
      BitSet fresh = WholeRead.since(view, position);
      BitSet again = (BitSet) fresh.clone();
      again.and(tailed);
      assertTrue(again.isEmpty(), () -> "the tail shows again: " + again);
      tailed.or(fresh);
      BitSet missed = (BitSet) shown.clone();
      missed.andNot(tailed);
      assertTrue(missed.isEmpty(), () -> "the tail missed " + missed);
      position = view.arrivals();
    } catch (StorageException.Unreachable away) {
      assertTrue(
          String.valueOf(away.getMessage()).matches("cannot read .+ from the cluster: .+"),
          away::toString);
      looksRefused++;
    }
  }

  /// How often [#look] was called.
  synchronized int looks() {
    return looks;
  }

  /// How often [#look] could not read the cluster.
  synchronized int looksRefused() {
    return looksRefused;
  }

  /// Everything that was promised is there once, in every store the same bytes.
  ///
  /// @return which events are there
  BitSet requireSame() throws InterruptedException {
    look();
    WholeRead.Answer up;
    WholeRead.Answer down;
    try (StoreView view = reading.view()) {
      up = WholeRead.of(view, false, true);
      down = WholeRead.of(view, true, true);
    }
    for (StoreProcess store : stores) {
      List<String> shown = ask(store, "r");
      assertEquals(up.hash(), shown.get(2), store + " shows " + shown.get(1) + " events");
      assertEquals(down.hash(), shown.get(3), store + ", descending");
    }
    BitSet there = up.numbers();
    assertEquals(there, down.numbers());
    assertEquals(there, tailed, "what the tail has shown");
    for (Batch batch : batches) {
      int shown = count(there, batch);
      assertTrue(!batch.promised || shown == batch.count, () -> "lost: " + batch + ": " + shown);
    }
    return there;
  }

  /// The hash of the same events in a store on this machine.
  String hashOnOneMachine(BitSet numbers) {
    return OneMachine.hash(directory.resolve("embedded"), events, numbers);
  }

  /// The hash of what the cluster shows, without the ids that stores gave.
  String hash() {
    try (StoreView view = reading.view()) {
      return WholeRead.of(view, false, false).hash();
    }
  }

  @Override
  public void close() {
    for (StoreProcess store : stores) {
      store.end();
    }
    reading.close();
  }
}
