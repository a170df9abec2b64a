package io.widerow.storage.maintenance;

import io.widerow.storage.live.LiveSegment;
import io.widerow.storage.live.StoreContents;
import java.util.List;
import java.util.function.UnaryOperator;

/// Puts a segment in place of itself: one of which only the stub is here, or the other way round.
/// It runs between merges, so none of them has the segment as a source.
///
/// - Threads: the merging one.
public final class ColdSwap extends Rewrite<Boolean> {
  private final LiveSegment from;
  private final UnaryOperator<LiveSegment> make;
  private final Runnable delete;
  private boolean swapped;

  /// @param make the same segment, kept in the other way, durable
  /// @param delete deletes what is no longer needed of `from`
  public ColdSwap(LiveSegment from, UnaryOperator<LiveSegment> make, Runnable delete) {
    this.from = from;
    this.make = make;
    this.delete = delete;
  }

  @Override
  boolean step(Tools tools) {
    if (swapped || !tools.expiry().take(List.of(from))) {
      return false; // a merge or retention has replaced it
    }
    try {
      StoreContents contents = tools.contents();
      contents.requireWriting();
      LiveSegment to = make.apply(from);
      try {
        contents.moved(from, to, delete);
      } catch (Throwable failure) {
        to.close();
        throw failure;
      }
      swapped = true;
      return false;
    } finally {
      tools.expiry().giveBack();
    }
  }

  /// False when the segment is gone.
  @Override
  Boolean result() {
    return swapped;
  }
}
