package io.widerow.loadgen.run;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: a thread that asks to be woken in time is, and others are left as they were. Method: what
/// the kernel says of each.
@EnabledOnOs(OS.LINUX)
class TimerSlackTest {
  private static String slack(boolean none) throws ExecutionException, InterruptedException {
    FutureTask<String> asked =
        new FutureTask<>(() -> {
          assertTrue(!none || TimerSlack.none());
          Path task = Files.readSymbolicLink(Path.of("/proc/thread-self")).getFileName();
          return Files.readString(Path.of("/proc").resolve(task).resolve("timerslack_ns")).strip();
        });
    Thread.ofPlatform().start(asked);
    return asked.get();
  }

  @Test
  void onlyTheThreadThatAskedIsWokenToTheNanosecond() throws Exception {
    String before = slack(false);
    assertEquals("1", slack(true));
    assertEquals(before, slack(false));
  }
}
