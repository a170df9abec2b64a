package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: these threads have low priority, and no others do. Method: the `nice` values in `/proc`.
@EnabledOnOs(OS.LINUX)
@Timeout(300)
class LowPriorityThreadTest {
  private static final int NICE_COLUMN = 16; // after the name, see proc_pid_stat(5)

  static int niceness() {
    try {
      String stat = Files.readString(Path.of("/proc/thread-self/stat"));
      String[] columns = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
      return Integer.parseInt(columns[NICE_COLUMN]);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  @Test
  void onlyTheseThreadsHaveLowPriority() throws Exception {
    int before = niceness();
    try (var quiet = Executors.newSingleThreadExecutor(LowPriorityThread.factory("quiet"))) {
      Future<Integer> its = quiet.submit(LowPriorityThreadTest::niceness);
      assertEquals(Math.max(10, before), its.get());
    }
    assertEquals(before, niceness());
  }
}
