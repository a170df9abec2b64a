package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.event.PartitionKey;
import io.widerow.faults.Await;
import io.widerow.faults.ChildJvm;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.Seeds;
import io.widerow.faults.StoreModel;
import io.widerow.storage.EventCursor;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a process that is killed at any moment loses nothing that it acknowledged, shows nothing
/// twice and everything in order. Method: a real process writes through the real journal and is
/// killed with SIGKILL at random times, also while it opens the store. The acknowledgements on its
/// standard output are compared with what a new process finds. Number of kills: `-Dkills=<n>`.
@Tag("process")
class StoreKillTest {
  private static final int KILLS = Integer.getInteger("kills", 30);
  private static final int KILLS_A_STORE = 5;

  private static ChildJvm jvm;

  @BeforeAll
  static void archiveClasses(@TempDir Path directory) throws Exception {
    jvm = ChildJvm.archived(directory);
  }

  static List<Long> seeds() {
    return Seeds.of(Math.ceilDiv(KILLS, KILLS_A_STORE));
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void nothingAcknowledgedIsLost(long seed, @TempDir Path directory) throws Exception {
    var random = new SplittableRandom(seed);
    Path store = directory.resolve("store");
    long next = 0;
    for (int kill = 0; kill < KILLS_A_STORE; kill++) {
      boolean spared = next == 0 && kill == KILLS_A_STORE - 1; // killed too soon each time before
      long acknowledged = Math.max(next, runAndKill(store, next, random, spared));
      next = check(store, acknowledged);
    }
    assertTrue(next > 0, "something was acknowledged");
  }

  /// @param spared whether to wait with the kill until it has acknowledged something
  /// @return numbers below this one were acknowledged
  private static long runAndKill(Path store, long from, SplittableRandom random, boolean spared)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(store.toString());
    arguments.add(Long.toString(from));
    arguments.add(Long.toString(random.nextLong()));
    if (random.nextBoolean()) {
      arguments.add("busy");
    }
    Process writer = jvm.start(KilledWriter.class, arguments.toArray(String[]::new)).start();
    long acknowledged = 0;
    try (BufferedReader out = writer.inputReader(StandardCharsets.UTF_8)) {
      // Mostly while it writes, sometimes while it starts or recovers.
      if (spared || random.nextInt(5) > 0) {
        assertEquals("open", out.readLine());
      }
      if (spared) {
        acknowledged = Long.parseLong(out.readLine());
      }
      Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(400)));
      writer.toHandle().destroyForcibly(); // the process alone: what it said is still to be read
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        acknowledged = line.equals("open") ? acknowledged : Long.parseLong(line);
      }
    } finally {
      writer.destroyForcibly().waitFor();
    }
    return acknowledged;
  }

  /// @return one past the greatest number present
  static long check(Path directory, long acknowledged) {
    try (var store = EmbeddedStore.open(KilledWriter.config(directory), Runnable::run);
        StoreView view = store.view()) {
      List<PartitionKey> keys =
          view.partitions("numbered"::equals, 0, Long.MAX_VALUE / 2).stream()
              .map(PartitionInfo::key)
              .toList();
      Map<Long, EventId> found = new HashMap<>();
      EventId last = EventId.LEAST;
      long limit = 0;
      var scratch = new AttributeValue();
      try (EventCursor cursor = view.open(keys, Scan.all())) {
        while (cursor.next() == EventCursor.Step.EVENT) {
          StoreModel.Shown event = StoreModel.Shown.of(cursor.event(), scratch);
          assertTrue(last.compareTo(event.id()) < 0, "order at " + event);
          assertEquals(null, found.put(event.number(), event.id()), "twice: " + event);
          last = event.id();
          limit = Math.max(limit, event.number() + 1);
        }
      }
      for (long number = 0; number < acknowledged; number++) {
        if (!found.containsKey(number)) {
          assertTrue(NumberedEvents.isOwn(number) && isReplaced(found, number), "lost: " + number);
        }
      }
      return limit;
    }
  }

  /// True when a later event with the same client id is present.
  private static boolean isReplaced(Map<Long, EventId> found, long number) {
    EventId id = NumberedEvents.ownId(number);
    for (long later = number + 10; later / 40 == number / 40; later += 10) {
      if (id.equals(found.get(later))) {
        return true;
      }
    }
    return false;
  }
}
