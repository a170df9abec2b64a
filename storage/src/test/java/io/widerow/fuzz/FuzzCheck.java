package io.widerow.fuzz;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;

/// Runner of a target on one input, within the target's heap budget.
public final class FuzzCheck {
  private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

  private FuzzCheck() {}

  /// Runs an input a second time before it reports too much heap: the first run may have loaded
  /// classes, which costs much memory under jazzer.
  ///
  /// @throws AssertionError when the input took more heap than the target allows
  public static void run(FuzzTarget target, byte[] input) throws Exception {
    if (heapBytes(target, input) <= target.heapBytesMax()) {
      return;
    }
    long bytes = heapBytes(target, input);
    if (bytes > target.heapBytesMax()) {
      throw new AssertionError(
          "%s took %,d bytes of heap for an input of %d bytes, allowed are %,d"
              .formatted(target.name(), bytes, input.length, target.heapBytesMax()));
    }
  }

  private static long heapBytes(FuzzTarget target, byte[] input) throws Exception {
    byte[] copy = input.clone();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    target.read(copy);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
