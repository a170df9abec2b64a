package io.widerow.storage.journal;

import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.nio.file.Path;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// Writer of a store's [Witness]. An opening starts a new file, since what a killed process wrote
/// may be in the page cache and not on the disk. Later writes overwrite one of the two copies and
/// force it, which changes no metadata of the file system and so delays no force of a journal.
///
/// A write that fails is no failure of the store: the old statements stay true. The file is given
/// up, because a force after a failed one proves nothing, and the next write starts a new one.
///
/// - Threads: any; one lock. No lane ever takes it.
public final class WitnessFile implements AutoCloseable {
  private final Disk disk;
  private final Path directory;
  private final UUID storeId;
  private List<Witness.Lane> written = List.of(); // guarded by this, as are all fields below
  private long sequence;
  private @Nullable DiskFile file; // null before the start and after a failure

  /// @param directory of the store
  public WitnessFile(Disk disk, Path directory, UUID storeId) {
    this.disk = disk;
    this.directory = directory;
    this.storeId = storeId;
  }

  /// Writes these entries durably, unless the witness has them already. Every entry must be true on
  /// the disk before the call.
  ///
  /// @throws io.widerow.storage.StorageException when it cannot be written; the next call tries
  ///   again
  public synchronized void write(List<Witness.Lane> lanes) {
    DiskFile open = file;
    if (open == null) {
      start(lanes);
    } else if (!lanes.equals(written)) {
      file = null; // unless all goes well
      try {
        long next = sequence + 1;
        open.write(Witness.copy(storeId, next, lanes), next % Witness.COPIES * Witness.COPY_BYTES);
        open.force();
        sequence = next;
        written = List.copyOf(lanes);
        file = open;
      } finally {
        if (file == null) {
          open.close();
        }
      }
    }
  }

  private void start(List<Witness.Lane> lanes) {
    Path temporary = directory.resolve(Witness.NAME_NEW);
    disk.delete(temporary);
    DiskFile created = disk.create(temporary);
    try {
      Witness.fill(created, storeId, sequence, lanes);
      disk.rename(temporary, directory.resolve(Witness.NAME));
      disk.forceDirectory(directory);
    } catch (Throwable failure) {
      created.close();
      throw failure;
    }
    sequence += Witness.COPIES;
    written = List.copyOf(lanes);
    file = created;
  }

  @Override
  public synchronized void close() {
    DiskFile open = file;
    file = null;
    if (open != null) {
      open.close();
    }
  }
}
