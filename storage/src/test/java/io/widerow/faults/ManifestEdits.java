package io.widerow.faults;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.BiConsumer;

/// Where the edits of a manifest lie.
public final class ManifestEdits {
  private static final int HEADER_BYTES = 28;
  private static final int EDIT_HEADER_BYTES = 8;

  private ManifestEdits() {}

  /// Offsets of the edits, the snapshot first.
  public static List<Integer> offsets(SimDisk disk, Path manifest) {
    byte[] bytes = disk.bytesOf(manifest);
    List<Integer> edits = new ArrayList<>();
    int at = HEADER_BYTES;
    while (at < bytes.length) {
      edits.add(at);
      at += EDIT_HEADER_BYTES + ByteBuffer.wrap(bytes).getInt(at);
    }
    return edits;
  }

  /// Disks on which the last edit is damaged, by bits flipped all over it.
  ///
  /// @param flips how many disks
  /// @param check takes each, and which byte it is
  public static void flipLast(
      SimDisk good, Path manifest, int flips, BiConsumer<SimDisk, String> check) {
    int from = offsets(good, manifest).getLast();
    int bytes = (int) good.sizeOf(manifest) - from;
    for (int flip = 0; flip < flips; flip++) {
      long at = from + (long) bytes * flip / flips;
      SimDisk bad = good.restart();
      bad.flip(manifest, 8 * at + flip);
      check.accept(bad, "byte " + at);
    }
  }

  /// A disk on which the last edit is cut off.
  public static SimDisk withoutLast(SimDisk good, Path manifest) {
    SimDisk cut = good.restart();
    cut.openForWriting(manifest).truncate(offsets(good, manifest).getLast());
    return cut;
  }
}
