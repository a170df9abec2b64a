package io.widerow.storage.objects;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.io.IOException;
import java.io.InputStream;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.security.MessageDigest;

/// Makes a file of an object, forced, and compared with the hash of what was put.
final class FetchedFile {
  private static final int BUFFER_BYTES = 1 << 16;

  private FetchedFile() {}

  /// @param path where the file is made, in place of one that is there
  /// @throws ObjectsException.Damaged when the object is missing, or is not the one that was put
  static void make(
      ObjectStore objects, String object, long bytes, String sha256, Disk disk, Path path) {
    disk.delete(path);
    try (InputStream in = objects.open(object)) {
      if (in == null) {
        throw new ObjectsException.Damaged(object, "it is missing");
      }
      MessageDigest digest = ContentDigest.digest();
      byte[] buffer = new byte[BUFFER_BYTES];
      long at = 0;
      try (DiskFile out = disk.create(path)) {
        for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
          digest.update(buffer, 0, got);
          out.write(MemorySegment.ofArray(buffer).asSlice(0, got), at);
          at += got;
        }
        out.force();
      }
      if (at != bytes || !ContentDigest.text(digest.digest()).equals(sha256)) {
        disk.delete(path);
        throw new ObjectsException.Damaged(
            object, "its contents are not what was put: %d bytes".formatted(at));
      }
    } catch (IOException failure) {
      throw new ObjectsException.Away(object + ": " + failure, failure);
    }
  }
}
