package io.widerow.storage.disk;

import java.nio.file.Path;
import java.util.Objects;

/// The directory for damaged files, `quarantine/` of a store. The store never reads, changes or
/// deletes anything in it; it is for people.
///
/// - Threads: one.
public final class Quarantine {
  static final String DIRECTORY = "quarantine";

  private final Disk disk;
  private final Path storeDirectory;
  private final Path directory;

  public Quarantine(Disk disk, Path storeDirectory) {
    this.disk = disk;
    this.storeDirectory = storeDirectory;
    this.directory = storeDirectory.resolve(DIRECTORY);
  }

  /// Where a file would go, if its name is not taken there.
  public Path place(String name) {
    return directory.resolve(name);
  }

  /// Moves a file, or a directory with everything in it. Durable on return.
  ///
  /// @return its new path
  public Path take(Path file) {
    Path target = freePlace(file);
    disk.rename(file, target);
    disk.forceDirectory(directory);
    disk.forceDirectory(Objects.requireNonNull(file.getParent()));
    return target;
  }

  /// Keeps a file that is about to be replaced, under a second name. Durable on return.
  ///
  /// @return the second name
  public Path keep(Path file) {
    Path target = freePlace(file);
    disk.link(file, target);
    disk.forceDirectory(directory);
    return target;
  }

  private Path freePlace(Path file) {
    if (!disk.exists(directory)) {
      disk.createDirectory(directory);
      disk.forceDirectory(storeDirectory);
    }
    String name = file.getFileName().toString();
    Path target = place(name);
    for (int number = 1; disk.exists(target); number++) {
      target = place(name + "." + number);
    }
    return target;
  }
}
