package io.widerow.storage.embedded;

import io.widerow.event.EventBatch;
import io.widerow.storage.Durability;
import io.widerow.storage.LaneWriter;
import org.jspecify.annotations.Nullable;

/// The writer of a lane in a store that was opened on a full disk. It refuses events until
/// [DelayedStart] has given the lane its journal, and passes everything on from then on.
///
/// - Threads: one writer.
final class DelayedLane implements LaneWriter {
  private final DelayedStart start;
  private final int index;
  private @Nullable EmbeddedLane lane; // writer only

  DelayedLane(DelayedStart start, int index) {
    this.start = start;
    this.index = index;
  }

  private @Nullable EmbeddedLane lane() {
    if (lane == null) {
      lane = start.lane(index);
    }
    return lane;
  }

  @Override
  public int append(EventBatch batch, long placement, Rejections rejections) {
    EmbeddedLane now = lane();
    if (now == null) {
      throw start.refusal();
    }
    return now.append(batch, placement, rejections);
  }

  /// Before the lane has its journal there is nothing to commit, and no group is known to be as
  /// durable as asked for: the result is 0.
  @Override
  public long commit(Durability durability) {
    EmbeddedLane now = lane();
    return now == null ? 0 : now.commit(durability);
  }

  @Override
  public long lastArrival() {
    EmbeddedLane now = lane();
    return now == null ? -1 : now.lastArrival();
  }

  @Override
  public void note(byte[] note) {
    EmbeddedLane now = lane();
    if (now == null) {
      throw start.refusal();
    }
    now.note(note);
  }

  @Override
  public void notes(NoteReader reader) {
    start.tell(reader);
  }

  /// Without its journal the lane has sealed nothing, and all notes are kept.
  @Override
  public void forgetNotesBefore(long group) {
    EmbeddedLane now = lane();
    if (now != null) {
      now.forgetNotesBefore(group);
    }
  }
}
