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
  public static void run(FuzzTarget target, byte[] input) {
    FuzzReader reader = target.reader();
    if (heapBytes(reader, input) <= reader.heapBytesMax()) {
      return;
    }
    long bytes = heapBytes(reader, input);
    if (bytes > reader.heapBytesMax()) {
      throw new AssertionError(
          "%s took %,d bytes of heap for an input of %d bytes, allowed are %,d"
              .formatted(target.name(), bytes, input.length, reader.heapBytesMax()));
    }
  }

  private static long heapBytes(FuzzReader reader, byte[] input) {
    byte[] copy = input.clone();
    long before = THREADS.getCurrentThreadAllocatedBytes();
    reader.read().accept(copy);
    return THREADS.getCurrentThreadAllocatedBytes() - before;
  }
}
