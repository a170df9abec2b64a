package io.widerow.cli.ship;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Which file a path leads to, whatever it is called: a rename keeps it. The number of an inode is
/// used again after the file is deleted, so that the same identity later may be another file.
///
/// @param device number of the file system; another one after a restart of the machine, sometimes
/// @param inode number of the file in it
record FileIdentity(long device, long inode) {

  /// A file as it is now.
  ///
  /// @param sizeBytes its size
  /// @param changed the time of its last write
  record Seen(FileIdentity identity, long sizeBytes, FileTime changed) {}

  /// Follows symbolic links. Null when there is no regular file.
  ///
  /// @throws IOException when the operating system refuses the call
  static @Nullable Seen look(Path path) throws IOException {
    try {
      if (!Files.readAttributes(path, BasicFileAttributes.class).isRegularFile()) {
        return null;
      }
      Map<String, Object> of = Files.readAttributes(path, "unix:dev,ino,size,lastModifiedTime");
      if (of.get("dev") instanceof Long device
          && of.get("ino") instanceof Long inode
          && of.get("size") instanceof Long size
          && of.get("lastModifiedTime") instanceof FileTime changed) {
        return new Seen(new FileIdentity(device, inode), size, changed);
      }
      throw new IOException(path + ": the file system reports no inodes");
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return null;
    }
  }
}
