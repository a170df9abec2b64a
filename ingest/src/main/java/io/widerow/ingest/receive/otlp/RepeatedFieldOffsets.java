package io.widerow.ingest.receive.otlp;

import java.util.Arrays;

/// Where the messages of one repeated field are. They may be spread over the message around them.
///
/// - Threads: one.
/// - Memory: keeps its arrays.
final class RepeatedFieldOffsets {
  private int[] starts = new int[4];
  private int[] ends = new int[4];
  private int count;

  void clear() {
    count = 0;
  }

  void add(int offset, int length) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      ends = Arrays.copyOf(ends, 2 * count);
    }
    starts[count] = offset;
    ends[count++] = offset + length;
  }

  int count() {
    return count;
  }

  int start(int i) {
    return starts[i];
  }

  int end(int i) {
    return ends[i];
  }
}
