package io.widerow.storage.embedded;

import io.widerow.faults.PlantLoader;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import java.lang.reflect.Constructor;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.ToLongBiFunction;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: what [StoreCrashTest] promises holds with the journal that people have, on files of
/// Chronicle Queue that roll, are made ahead, trimmed and used again. Method: the same operations
/// and checks on a directory whose power is cut, see [StoreCut], before some of the operations on
/// the disk. The seed is the test's name; to replay one, run with `-Dseed=<n>`. Number of runs:
/// `-Drealcrashes=<n>`.
@Tag("deep")
class StoreCutTest {
  private static final int RUNS = Slice.of("realcrashes", 1, 3);
  private static final long STATES_LEAST = 100;
  private static final AtomicLong STATES = new AtomicLong();

  static List<Long> seeds() {
    return Seeds.of(RUNS);
  }

  @AfterAll
  static void enoughStatesWereSeen() {
    Slice.met("crash states with the real journal", STATES.get(), STATES_LEAST);
  }

  @ParameterizedTest(name = "seed {0}")
  @MethodSource("seeds")
  void whatWasAcknowledgedIsThere(long seed, @TempDir Path work) throws Exception {
    var loader = new PlantLoader(PlantHooks.class, StoreCut.HOOKS);
    Constructor<?> made =
        Class.forName(StoreCut.class.getName(), true, loader).getDeclaredConstructor();
    made.setAccessible(true);
    @SuppressWarnings("unchecked")
    var run = (ToLongBiFunction<Path, Long>) made.newInstance();
    STATES.addAndGet(run.applyAsLong(work.toRealPath(), seed));
  }
}
