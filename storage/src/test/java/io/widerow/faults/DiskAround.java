package io.widerow.faults;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.nio.file.Path;
import java.util.List;

/// A disk that delegates to another one. Tests override what they want to watch or break.
///
/// - Threads: as the other one.
public class DiskAround implements Disk {
  private final Disk disk;

  public DiskAround(Disk disk) {
    this.disk = disk;
  }

  @Override
  public DiskFile create(Path file) {
    return disk.create(file);
  }

  @Override
  public DiskFile open(Path file) {
    return disk.open(file);
  }

  @Override
  public DiskFile openForWriting(Path file) {
    return disk.openForWriting(file);
  }

  @Override
  public boolean exists(Path path) {
    return disk.exists(path);
  }

  @Override
  public boolean isDirectory(Path path) {
    return disk.isDirectory(path);
  }

  @Override
  public boolean hasOneName(Path file) {
    return disk.hasOneName(file);
  }

  @Override
  public void link(Path file, Path link) {
    disk.link(file, link);
  }

  @Override
  public void createDirectory(Path directory) {
    disk.createDirectory(directory);
  }

  @Override
  public void rename(Path source, Path target) {
    disk.rename(source, target);
  }

  @Override
  public void delete(Path path) {
    disk.delete(path);
  }

  @Override
  public List<Path> list(Path directory) {
    return disk.list(directory);
  }

  @Override
  public void forceDirectory(Path directory) {
    disk.forceDirectory(directory);
  }

  @Override
  public long usableBytes(Path path) {
    return disk.usableBytes(path);
  }

  @Override
  public Lock lock(Path file, String owner) {
    return disk.lock(file, owner);
  }
}
