package io.widerow.ingest.receive.otlp;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The offsets of the records of a request, in the JSON text and in the protobuf made from it, and
/// the errors of the records that are refused already.
///
/// - Threads: one.
/// - Memory: 12 bytes a record.
final class RecordOffsets {
  private int[] starts = new int[16]; // in protobuf, ascending
  private int[] offsets = new int[16]; // in JSON
  private @Nullable String[] faults = new String[16];
  private int count;

  int count() {
    return count;
  }

  /// Forgets all that were added since there were so many.
  void truncate(int newCount) {
    count = newCount;
  }

  void add(int start, int offset) {
    if (count == starts.length) {
      starts = Arrays.copyOf(starts, 2 * count);
      offsets = Arrays.copyOf(offsets, 2 * count);
      faults = Arrays.copyOf(faults, 2 * count);
    }
    faults[count] = null;
    starts[count] = start;
    offsets[count++] = offset;
  }

  /// Sets the error of the record added last.
  void fault(String reason) {
    faults[count - 1] = reason;
  }

  /// Whether no record is good.
  boolean isAllFaults() {
    for (int i = 0; i < count; i++) {
      if (faults[i] == null) {
        return false;
      }
    }
    return true;
  }

  /// Where the record that starts here in protobuf is in the JSON text.
  int offset(int start) {
    return offsets[Arrays.binarySearch(starts, 0, count, start)];
  }

  /// Returns the error of the record that starts here in protobuf; null for none.
  @Nullable String faultAt(int start) {
    return faults[Arrays.binarySearch(starts, 0, count, start)];
  }
}
