package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// What can go wrong outside the program. The list is closed, so a caller can switch over it and
/// the compiler says when a new case is missing. Mistakes inside the program are not here: they are
/// `assert`s and [IllegalStateException]s, and nobody catches them.
public abstract sealed class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private StorageException(String message) {
    super(message);
  }

  private StorageException(String message, Throwable cause) {
    super(message, cause);
  }

  /// Bytes on disk are not the bytes that were written.
  public static final class Corrupt extends StorageException {
    private static final long serialVersionUID = 1L;
    public final transient Path file;
    public final long offset;

    /// What is there instead, without where.
    public final String found;

    /// What cannot be read for it; null when that is not known.
    public final transient @Nullable PartitionKey partition;

    public Corrupt(Path file, long offset, String found) {
      this(file, offset, found, null, "");
    }

    private Corrupt(
        Path file, long offset, String found, @Nullable PartitionKey partition, String what) {
      super("%s: corrupt at byte %d: %s%s".formatted(file, offset, found, what));
      this.file = file;
      this.offset = offset;
      this.found = found;
      this.partition = partition;
    }

    /// The same, for somebody who reads a partition.
    Corrupt in(PartitionKey key) {
      return new Corrupt(file, offset, found, key, "; cannot read partition " + key);
    }

    /// The same, found in a block of a partition.
    Corrupt in(PartitionKey key, int block) {
      String what = "; cannot read block %d of partition %s".formatted(block, key);
      return new Corrupt(file, offset, found, key, what);
    }
  }

  /// Journaled events that were acknowledged are damaged or gone. The store can be read, not
  /// written, until an operator accepts the loss.
  public static final class AcknowledgedDataDamaged extends StorageException {
    private static final long serialVersionUID = 1L;

    /// The first LSN that is lost, and the last one in a row with it.
    public final long lsnFirst;

    public final long lsnLast;

    /// All that is lost.
    public final transient List<Damage> damage;

    AcknowledgedDataDamaged(List<JournalLoss> losses) {
      super(
          losses.stream()
              .map(loss -> loss.damage().sentence())
              .collect(Collectors.joining("; and ")));
      this.lsnFirst = losses.getFirst().lsnFirst();
      this.lsnLast = losses.getFirst().lsnLast();
      this.damage = losses.stream().map(JournalLoss::damage).toList();
    }
  }

  /// The directory is not a store, or one that this program cannot read or write.
  public static final class Incompatible extends StorageException {
    private static final long serialVersionUID = 1L;

    public Incompatible(Path file, String found) {
      super(file + ": " + found);
    }
  }

  /// Another process has the store open.
  public static final class Locked extends StorageException {
    private static final long serialVersionUID = 1L;

    public Locked(Path directory, String owner) {
      super("%s: in use by %s".formatted(directory, owner));
    }
  }

  /// The disk has no room for what was to be written. Nothing was acknowledged; writing can go on
  /// when there is room again.
  public static final class DiskFull extends StorageException {
    private static final long serialVersionUID = 1L;

    public DiskFull(Path path, long usableBytes, long neededBytes) {
      super("%s: %d bytes are free and %d are needed".formatted(path, usableBytes, neededBytes));
    }
  }

  /// The operating system refused a read or a write. After a failed write or force of the journal
  /// or the manifest the store takes no more writes until it is opened again.
  public static final class Failed extends StorageException {
    private static final long serialVersionUID = 1L;

    public Failed(Path file, String action, IOException cause) {
      super("%s: cannot %s: %s".formatted(file, action, cause.getMessage()), cause);
    }

    public Failed(String state, Throwable cause) {
      super(state, cause);
    }
  }

  /// The machine's clock is so far behind times that were given before that it, or they, must be
  /// wrong. Nothing that needs the time of its arrival is taken until the clock is right, or an
  /// operator says that it is.
  public static final class ClockBehind extends StorageException {
    private static final long serialVersionUID = 1L;

    ClockBehind(Instant wall, Instant mark) {
      super(
          "the clock says %s, but events were given times up to %s: set the clock right, wait,"
                  .formatted(wall, mark)
              + " or accept the clock as it is");
    }
  }

  /// The store is open for reading only, or its write side has ended.
  public static final class ReadOnly extends StorageException {
    private static final long serialVersionUID = 1L;

    public ReadOnly(String why) {
      super(why);
    }
  }
}
