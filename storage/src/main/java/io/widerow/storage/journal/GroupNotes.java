package io.widerow.storage.journal;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// The notes of a lane's present group, in the order in which they came. Each frame of the group
/// takes as many as it has room for.
///
/// - Threads: that of the lane.
public final class GroupNotes {
  private final List<byte[]> notes = new ArrayList<>();
  private int framed; // of them, in frames that were encoded

  public void add(byte[] note) {
    notes.add(note);
  }

  public boolean isEmpty() {
    return notes.isEmpty();
  }

  /// Of those that are in no frame yet, as many as `bytesMax` are enough for.
  private int fitting(long bytesMax) {
    long bytes = 0;
    int count = 0;
    while (framed + count < notes.size()) {
      bytes += Short.BYTES + notes.get(framed + count).length;
      if (bytes > bytesMax) {
        break;
      }
      count++;
    }
    return count;
  }

  /// True when all that are in no frame yet fit into the next one.
  public boolean fit(long bytesMax) {
    return framed + fitting(bytesMax) == notes.size();
  }

  /// Gives the next ones to the next frame.
  public void addTo(FrameEncoder encoder, long bytesMax) {
    for (int left = fitting(bytesMax); left > 0; left--) {
      encoder.addNote(MemorySegment.ofArray(notes.get(framed++)));
    }
  }

  /// The frames so far count for nothing: the group is written once more.
  public void restart() {
    framed = 0;
  }

  /// Hands all of them over, and starts the next group.
  public void end(Consumer<byte[]> taker) {
    notes.forEach(taker);
    clear();
  }

  public void clear() {
    notes.clear();
    framed = 0;
  }
}
