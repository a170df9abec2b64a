package io.widerow.storage;

import io.widerow.event.PartitionKey;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// A failure outside the program: disk, data, space, clock. The set is closed, so a caller can
/// switch over it and the compiler reports a missing case. Bugs are not here: they are `assert`s
/// and [IllegalStateException]s, which no code catches.
public abstract sealed class StorageException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private StorageException(String message) {
    super(message);
  }

  private StorageException(String message, @Nullable Throwable cause) {
    super(message, cause);
  }

  /// Bytes on disk, or in a row of a cluster, are not the bytes that were written. Other files,
  /// blocks and rows can still be read.
  public static final class Corrupt extends StorageException {
    private static final long serialVersionUID = 1L;

    /// The damaged part: a file, or the key of a row in a cluster.
    public final String place;

    /// The file; null when the place is not one.
    public final transient @Nullable Path file;

    public final long offset;

    /// The unexpected content that was found, without its location.
    public final String found;

    /// The partition that cannot be read; null when it is not known.
    public final transient @Nullable PartitionKey partition;

    public Corrupt(Path file, long offset, String found) {
      this(file.toString(), file, offset, found, null, "");
    }

    /// @param place the key of a row in a cluster, as people read it
    public Corrupt(String place, long offset, String found) {
      this(place, null, offset, found, null, "");
    }

    private Corrupt(
        String place,
        @Nullable Path file,
        long offset,
        String found,
        @Nullable PartitionKey partition,
        String what) {
      super("%s: corrupt at byte %d: %s%s".formatted(place, offset, found, what));
      this.place = place;
      this.file = file;
      this.offset = offset;
      this.found = found;
      this.partition = partition;
    }

    /// A record of the damage, for a report.
    ///
    /// @param partitions the partitions that can no longer be read
    public Damage damage(Damage.Kind kind, List<PartitionInfo> partitions) {
      return new Damage(kind, place, offset, found, partitions);
    }

    /// The same failure, in a partition.
    public Corrupt in(PartitionKey key) {
      return new Corrupt(place, file, offset, found, key, "; cannot read partition " + key);
    }

    /// The same failure, in a block of a partition.
    public Corrupt in(PartitionKey key, int block) {
      String what = "; cannot read block %d of partition %s".formatted(block, key);
      return new Corrupt(place, file, offset, found, key, what);
    }
  }

  /// Acknowledged events in a journal are damaged or missing. The store can be opened for reading;
  /// it can be opened for writing once an operator accepts the loss.
  public static final class AcknowledgedDataDamaged extends StorageException {
    private static final long serialVersionUID = 1L;

    /// The first lost LSN, and the last of the same contiguous loss.
    public final long lsnFirst;

    public final long lsnLast;

    /// Every loss.
    public final transient List<Damage> damage;

    public AcknowledgedDataDamaged(List<JournalLoss> losses) {
      super(
          losses.stream()
              .map(loss -> loss.damage().sentence())
              .collect(Collectors.joining("; and ")));
      this.lsnFirst = losses.getFirst().lsnFirst();
      this.lsnLast = losses.getFirst().lsnLast();
      this.damage = losses.stream().map(JournalLoss::damage).toList();
    }
  }

  /// The directory is not a store, or its format is one that this program cannot read or write.
  public static final class Incompatible extends StorageException {
    private static final long serialVersionUID = 1L;

    public Incompatible(Path file, String found) {
      super(file + ": " + found);
    }

    /// @param store where the store is, when that is no directory
    public Incompatible(String store, String found) {
      super(store + ": " + found);
    }

    private Incompatible(String sentence, Throwable cause) {
      super(sentence, cause);
    }

    /// The same failure and what to do about it.
    public Incompatible with(String advice) {
      return new Incompatible(getMessage() + "; " + advice, this);
    }
  }

  /// Another process has the store open.
  public static final class Locked extends StorageException {
    private static final long serialVersionUID = 1L;

    public Locked(Path directory, String owner) {
      super("%s: in use by %s".formatted(directory, owner));
    }
  }

  /// The disk has no space for a write. Nothing of it was acknowledged; writing can continue when
  /// there is space again.
  public static final class DiskFull extends StorageException {
    private static final long serialVersionUID = 1L;

    public DiskFull(Path path, long usableBytes, long neededBytes) {
      super("%s: %d bytes are free and %d are needed".formatted(path, usableBytes, neededBytes));
    }

    /// The failure or its cause, if one of them reports a full disk. A force can fail for lack of
    /// room, too; the data written before it may then be incomplete.
    public static @Nullable DiskFull in(StorageException failure) {
      return failure instanceof DiskFull full
          ? full
          : failure.getCause() instanceof DiskFull inForce ? inForce : null;
    }
  }

  /// The operating system refused an operation. After a failed write or force of the journal or the
  /// manifest the store accepts no more writes until it is opened again.
  public static final class Failed extends StorageException {
    private static final long serialVersionUID = 1L;

    public Failed(Path file, String action, IOException cause) {
      super("%s: cannot %s: %s".formatted(file, action, FailureReason.of(cause)), cause);
    }

    public Failed(String state, Throwable cause) {
      super(state, cause);
    }
  }

  /// A cluster cannot be reached, too few of its replicas answer, or it refuses; or an object store
  /// that keeps a part of the store does not answer. The caller may retry the request; the message
  /// states whether the cause is temporary.
  public static final class Unreachable extends StorageException {
    private static final long serialVersionUID = 1L;

    /// @param what the failed operation and its reason, for people
    public Unreachable(String what, @Nullable Throwable cause) {
      super(what, cause);
    }

    /// The same for a scan that passes over what it cannot read.
    ///
    /// @param file whose content is elsewhere
    public Corrupt unread(Path file, long offset) {
      return new Corrupt(file, offset, String.valueOf(getMessage()));
    }
  }

  /// The machine's clock is earlier than times already given to events, or has jumped ahead of
  /// elapsed time, so the clock or those times are wrong. Events that need an arrival time are
  /// refused until the clock is right, or an operator accepts it as it is, see
  /// [EventStore#acceptClock] and [StoreConfig#withClockAccepted].
  public static final class ClockWrong extends StorageException {
    private static final long serialVersionUID = 1L;

    private ClockWrong(String message) {
      super(message + ": set the clock right, wait, or accept the clock as it is");
    }

    /// @param mark the last time that an event was given
    public static ClockWrong behind(Instant wall, Instant mark) {
      return new ClockWrong(
          "the clock says %s, but events were given times up to %s".formatted(wall, mark));
    }

    /// @param expected the last time at which the clock was right, and the time since
    public static ClockWrong ahead(Instant wall, Instant expected) {
      return new ClockWrong(
          "the clock says %s, but by the time since it was right it is %s"
              .formatted(wall, expected));
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
