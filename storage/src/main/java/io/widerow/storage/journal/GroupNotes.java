package io.widerow.storage.journal;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/// Notes of a lane's current group, in order of arrival. Each frame of the group takes as many as
/// it has room for.
///
/// - Threads: the lane's.
public final class GroupNotes {
  private final List<byte[]> notes = new ArrayList<>();
  private int framed; // the number in encoded frames

  public void add(byte[] note) {
    notes.add(note);
  }

  public boolean isEmpty() {
    return notes.isEmpty();
  }

  /// The number of notes not yet in a frame that fit into `bytesMax`.
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

  /// True when all notes not yet in a frame fit into the next one.
  public boolean fit(long bytesMax) {
    return framed + fitting(bytesMax) == notes.size();
  }

  /// Adds the next notes to the next frame.
  public void addTo(FrameEncoder encoder, long bytesMax) {
    for (int left = fitting(bytesMax); left > 0; left--) {
      encoder.addNote(MemorySegment.ofArray(notes.get(framed++)));
    }
  }

  /// Discards the frames so far, because the group is written again.
  public void restart() {
    framed = 0;
  }

  /// Passes all notes to `taker` and starts the next group.
  public void end(Consumer<byte[]> taker) {
    notes.forEach(taker);
    clear();
  }

  public void clear() {
    notes.clear();
    framed = 0;
  }
}
