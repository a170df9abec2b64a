package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.event.AttributeValue;
import io.widerow.event.EventId;
import io.widerow.faults.Await;
import io.widerow.faults.ChildJvm;
import io.widerow.faults.KilledSpool;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.NumberedEvents;
import io.widerow.faults.Seeds;
import io.widerow.faults.StoreModel;
import io.widerow.storage.Arrivals;
import io.widerow.storage.EventCursor;
import io.widerow.storage.LaneArrivals;
import io.widerow.storage.PartitionInfo;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: a process that drains its store and is killed at any moment loses nothing that it
/// acknowledged, and brings nothing elsewhere twice. Method: a real process writes through the real
/// journal, brings events to its standard output, releases them, and is killed with SIGKILL; the
/// next process continues from the last position that was read. The events brought elsewhere and
/// the events still stored are compared with the acknowledgements. Number of kills: `-Dkills=<n>`.
@Tag("process")
class SpoolKillTest {
  private static final int KILLS_A_STORE = 5;
  private static final int STORES = Math.ceilDiv(Integer.getInteger("kills", 45), 15);

  private static ChildJvm jvm;

  @BeforeAll
  static void archiveClasses(@TempDir Path directory) throws Exception {
    jvm = ChildJvm.archived(directory);
  }

  static List<Long> seeds() {
    return Seeds.of(STORES);
  }

  private final Set<Long> brought = new HashSet<>();
  private final Set<Long> promised = new HashSet<>();
  private @Nullable LaneArrivals position;
  private long acknowledged;
  private long limit; // one past the greatest number seen

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatIsNotReleasedIsThere(long seed, @TempDir Path directory) throws Exception {
    var random = new SplittableRandom(seed);
    Path store = directory.resolve("store");
    for (int kill = 0; kill < KILLS_A_STORE; kill++) {
      runAndKill(store, random);
      if (random.nextBoolean() || kill == KILLS_A_STORE - 1) {
        goOn(store);
      }
    }
    assertTrue(acknowledged > 0, "something was acknowledged");
  }

  private void runAndKill(Path store, SplittableRandom random)
      throws IOException, InterruptedException {
    List<String> arguments = new ArrayList<>();
    arguments.add(store.toString());
    arguments.add(Long.toString(Math.max(acknowledged, limit) + 1_000)); // above what may be there
    arguments.add(Long.toString(random.nextLong()));
    if (position != null) {
      arguments.add(position.toString());
    }
    long first = Long.parseLong(arguments.get(1));
    limit = Math.max(limit, first);
    Process writer = jvm.start(KilledSpool.class, arguments.toArray(String[]::new)).start();
    try (BufferedReader out = writer.inputReader(StandardCharsets.UTF_8)) {
      assertEquals("open", out.readLine());
      read(out.readLine(), first);
      Await.pauseNanos(TimeUnit.MILLISECONDS.toNanos(random.nextLong(600)));
      writer.toHandle().destroyForcibly(); // the process alone: what it said is still to be read
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        read(line, first);
      }
    } finally {
      writer.destroyForcibly().waitFor();
    }
  }

  private void read(String line, long first) {
    if (!line.endsWith(KilledSpool.END)) {
      return; // the kill cut it off
    }
    String[] words = line.substring(0, line.length() - KilledSpool.END.length()).split(" ", -1);
    if (words[0].equals("a")) {
      acknowledged = Long.parseLong(words[1]);
      for (long number = first; number < acknowledged; number++) {
        promised.add(number);
      }
      limit = Math.max(limit, acknowledged);
      return;
    }
    assertEquals("t", words[0]);
    position = (LaneArrivals) Arrivals.parse(words[1]);
    for (int i = 2; i < words.length; i++) {
      take(Long.parseLong(words[i]));
    }
  }

  private void take(long number) {
    assertTrue(brought.add(number), "twice: " + number);
    limit = Math.max(limit, number + 1);
  }

  /// Takes what a killed process left, and looks whether anything is missing.
  private void goOn(Path directory) {
    try (var store = EmbeddedStore.openSpool(KilledWriter.config(directory), Runnable::run)) {
      if (position != null) {
        store.release(position);
        store.sealAll();
      }
      try (StoreView view = store.view()) {
        Scan scan = Scan.all().withSince(position);
        for (PartitionInfo each : view.partitions(_ -> true, 0, Long.MAX_VALUE / 2, position)) {
          try (EventCursor cursor = view.open(List.of(each.key()), scan)) {
            var scratch = new AttributeValue();
            while (cursor.next() == EventCursor.Step.EVENT) {
              take(StoreModel.Shown.of(cursor.event(), scratch).number());
            }
          }
        }
        position = (LaneArrivals) view.arrivals();
      }
    }
    for (long number : promised) {
      if (!brought.contains(number)) {
        assertTrue(NumberedEvents.isOwn(number) && isReplaced(number), "lost: " + number);
      }
    }
  }

  /// True when a later event with the same client id was brought.
  private boolean isReplaced(long number) {
    EventId id = NumberedEvents.ownId(number);
    for (long later = number + 10; later / 40 == number / 40; later += 10) {
      if (brought.contains(later) && id.equals(NumberedEvents.ownId(later))) {
        return true;
      }
    }
    return false;
  }
}
