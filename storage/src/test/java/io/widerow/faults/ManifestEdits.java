package io.widerow.faults;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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
}
