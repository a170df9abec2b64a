package io.widerow.fuzz;

import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/// Reader of a [FuzzTarget], and what it is given.
///
/// @param seeds inputs to start from: valid ones, and known bad ones
/// @param read reads one input. Returns when it was read or refused in the documented way; throws
///   anything else as a finding.
/// @param heapBytesMax total bytes of heap that one input may allocate
public record FuzzReader(Supplier<List<byte[]>> seeds, Consumer<byte[]> read, long heapBytesMax) {
  /// A reader that may allocate 64 MiB.
  public FuzzReader(Supplier<List<byte[]>> seeds, Consumer<byte[]> read) {
    this(seeds, read, 64L << 20);
  }
}
