package io.widerow.ingest.serve.reply;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Await;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;

/// Goal: an answer begins at low priority, one that computes for long gets the lowest, and one that
/// waits keeps its own. Method: the `nice` values in `/proc`.
@EnabledOnOs(OS.LINUX)
@Timeout(300)
class ReplyThreadTest {
  private static long computedMillis() {
    return TimeUnit.NANOSECONDS.toMillis(
        java.lang.management.ManagementFactory.getThreadMXBean().getCurrentThreadCpuTime());
  }

  private static int niceWhen(Runnable work) throws Exception {
    var nice = new CompletableFuture<Integer>();
    ReplyThread.start(
        "answer-test",
        () -> {
          work.run();
          nice.complete(LowPriorityThreadTest.niceness());
        });
    return nice.get();
  }

  @Test
  void aShortAnswerHasLowPriority() throws Exception {
    int before = LowPriorityThreadTest.niceness();
    assertEquals(Math.max(ReplyThread.NICE, before), niceWhen(() -> {}));
  }

  @Test
  void anAnswerThatComputesForLongGetsTheLowest() throws Exception {
    assertEquals(
        ReplyThread.NICE_LONG,
        niceWhen(() -> {
          while (LowPriorityThreadTest.niceness() != ReplyThread.NICE_LONG) {
            assertTrue(computedMillis() < 30_000, "after 30 s of its processor time");
          }
        }));
  }

  @Test
  void anAnswerThatWaitsKeepsItsPriority() throws Exception {
    int before = LowPriorityThreadTest.niceness();
    var busy = new AtomicBoolean(true);
    var lowered = new CompletableFuture<Boolean>();
    ReplyThread.start(
        "answer-busy",
        () -> {
          Await.until(
              () -> !busy.get() || LowPriorityThreadTest.niceness() == ReplyThread.NICE_LONG,
              "the thread has the lowest priority");
          lowered.complete(busy.get());
        });
    // The other answer gets the lowest priority while this one waits for it, so the clock has
    // looked at both.
    assertEquals(Math.max(ReplyThread.NICE, before), niceWhen(() -> assertTrue(lowered.join())));
    busy.set(false);
  }
}
