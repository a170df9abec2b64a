package io.widerow.faults;

import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;

/// A file that delegates to another one. Tests override what they want to watch or break.
///
/// - Threads: as the other one.
public class DiskFileAround implements DiskFile {
  private final DiskFile file;

  public DiskFileAround(DiskFile file) {
    this.file = file;
  }

  @Override
  public Path path() {
    return file.path();
  }

  @Override
  public long size() {
    return file.size();
  }

  @Override
  public void write(MemorySegment source, long offset) {
    file.write(source, offset);
  }

  @Override
  public long read(MemorySegment target, long offset) {
    return file.read(target, offset);
  }

  @Override
  public boolean mayWait() {
    return file.mayWait();
  }

  @Override
  public boolean isResident(long offset, long bytes) {
    return file.isResident(offset, bytes);
  }

  @Override
  public void force() {
    file.force();
  }

  @Override
  public void truncate(long size) {
    file.truncate(size);
  }

  @Override
  public void close() {
    file.close();
  }
}
