package io.widerow.storage;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/// The directory that damaged files are moved into, `quarantine/` of a store. Nothing in it is ever
/// read, changed or deleted by the store; it is there for people.
///
/// - Threads: one.
final class Quarantine {
  static final String DIRECTORY = "quarantine";

  private final Disk disk;
  private final Path storeDirectory;
  private final Path directory;
  private final List<Path> moved = new ArrayList<>();

  Quarantine(Disk disk, Path storeDirectory) {
    this.disk = disk;
    this.storeDirectory = storeDirectory;
    this.directory = storeDirectory.resolve(DIRECTORY);
  }

  /// Where a file lies once it was taken, if no other had its name.
  Path place(String name) {
    return directory.resolve(name);
  }

  /// Moves a file, or a directory with all that is in it. Durable when it returns.
  ///
  /// @return where it is now
  Path take(Path file) {
    if (!disk.exists(directory)) {
      disk.createDirectory(directory);
      disk.forceDirectory(storeDirectory);
    }
    String name = file.getFileName().toString();
    Path target = place(name);
    for (int number = 1; disk.exists(target); number++) {
      target = place(name + "." + number);
    }
    disk.rename(file, target);
    disk.forceDirectory(directory);
    disk.forceDirectory(Objects.requireNonNull(file.getParent()));
    moved.add(target);
    return target;
  }

  /// All that was taken.
  List<Path> moved() {
    return List.copyOf(moved);
  }
}
