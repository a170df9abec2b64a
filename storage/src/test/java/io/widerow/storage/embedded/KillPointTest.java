package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.ChildJvm;
import io.widerow.faults.KillPoints;
import io.widerow.faults.KilledWriter;
import io.widerow.faults.PointedWriter;
import io.widerow.faults.Seeds;
import io.widerow.faults.StoreReading;
import io.widerow.storage.Scan;
import io.widerow.storage.StoreView;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/// Goal: a process that dies right before or after any write, force, rename, deletion or directory
/// force of any kind of file, or any operation of the real journal, loses nothing that it
/// acknowledged, shows nothing twice and everything in order, and of a deletion does all or
/// nothing. Method: a process kills itself at a random pass of a point, and a new process reads the
/// surviving files. A run takes each point with probability a quarter; `-Dpoints=<n>` kills n times
/// at every point, `-Dseed=<n>` repeats the points and passes of another run.
@Tag("process")
class KillPointTest {
  private static final int TIMES = Integer.getInteger("points", 0);

  private final long seed = Seeds.one();
  private final Map<String, Integer> passed = new TreeMap<>();
  private long acknowledged;
  private int doomed; // events that may be deleted
  private boolean deleted;

  @TempDir private Path directory = Path.of(".");

  @Test
  void nothingAcknowledgedIsLostAtAnyPoint() throws Exception {
    ChildJvm jvm = ChildJvm.archived(directory);
    assertEquals(0, run(jvm, fresh("counted"), "", 0));
    Map<String, Integer> points = new TreeMap<>(passed);
    assertTrue(points.size() > 60, points::toString);
    var random = new SplittableRandom(seed);
    int number = 0;
    for (var point : points.entrySet()) {
      int times = TIMES == 0 ? 1 - Math.min(1, random.nextInt(4)) : TIMES;
      for (int time = 0; time < times; time++) {
        int nth = 1 + random.nextInt(point.getValue());
        Path store = fresh("killed-" + number++);
        String what = "%s, time %d of %d, seed %d".formatted(point.getKey(), nth, times, seed);
        assertEquals(KillPoints.REACHED, run(jvm, store, point.getKey(), nth), what);
        if (acknowledged > 0) {
          StoreKillTest.check(store, acknowledged);
          checkDeleted(store, what);
        }
      }
    }
    System.out.printf(
        "seed %d: %d named points, killed %d times; lost 0, twice 0, out of order 0%n",
        seed, points.size(), number);
  }

  /// Events that a deletion is about are all there, or none when it had begun.
  private void checkDeleted(Path directory, String what) {
    try (var store = EmbeddedStore.open(KilledWriter.config(directory), Runnable::run)) {
      int shown = doomed(store);
      boolean begun =
          store.deletions().all().stream().anyMatch(each -> !each.state().equals("planned"));
      assertTrue(begun || !deleted, what + ": the deletion is lost");
      assertTrue(begun ? shown == 0 : shown >= doomed, what + ": shown " + shown);
      store.sealAll();
      for (int look = 0; look < 4; look++) {
        store.maintain();
      }
      assertEquals(begun ? 0 : shown, doomed(store), what);
      store.deletions().all().stream()
          .filter(_ -> begun)
          .forEach(each -> {
            assertEquals("done", each.state(), what);
            assertEquals(0, store.deletions().verify(each.id()), what);
          });
    }
  }

  private static int doomed(EmbeddedStore store) {
    try (StoreView view = store.view()) {
      return StoreReading.read(
              view, PointedWriter.DOOMED::equals, 0, Long.MAX_VALUE / 2, Scan.all())
          .size();
    }
  }

  private Path fresh(String name) throws IOException {
    return Files.createDirectory(directory.resolve(name)).resolve("store");
  }

  private int run(ChildJvm jvm, Path store, String point, int nth)
      throws IOException, InterruptedException {
    acknowledged = 0;
    doomed = 0;
    deleted = false;
    passed.clear();
    Process writer =
        jvm.start(PointedWriter.class, store.toString(), point, Integer.toString(nth)).start();
    try (BufferedReader out = writer.inputReader(StandardCharsets.UTF_8)) {
      for (String line = out.readLine(); line != null; line = out.readLine()) {
        int equals = line.indexOf('=');
        if (line.equals(PointedWriter.DOOMED)) {
          doomed += PointedWriter.DOOMED_EVENTS / 3;
        } else if (line.equals(PointedWriter.DELETED)) {
          deleted = true;
        } else if (equals < 0) {
          acknowledged = Long.parseLong(line);
        } else {
          passed.put(line.substring(0, equals), Integer.parseInt(line.substring(equals + 1)));
        }
      }
    }
    return writer.waitFor();
  }
}
