package io.widerow.storage.segment;

import io.widerow.storage.disk.Throttle;

/// The buffers and compressors of a [SegmentWriter], for one writer after another: making them
/// costs more than encoding a small segment. What a writer writes does not depend on the writers
/// before it.
///
/// - Threads: one.
/// - Memory: one block of events, and native contexts of compression until [#close].
public final class SegmentMemory implements AutoCloseable {
  private final SegmentProfile form;
  private final Throttle throttle;
  private final BlockWriter block;

  public SegmentMemory(SegmentProfile form) {
    this(form, Throttle.NONE);
  }

  /// @param throttle lets other threads run between blocks
  SegmentMemory(SegmentProfile form, Throttle throttle) {
    this.form = form;
    this.throttle = throttle;
    this.block = new BlockWriter(form, throttle);
  }

  Throttle throttle() {
    return throttle;
  }

  SegmentProfile form() {
    return form;
  }

  /// The encoder of blocks, as if it were new.
  BlockWriter begin() {
    block.renew();
    return block;
  }

  @Override
  public void close() {
    block.close();
  }
}
