package io.widerow.storage.embedded;

import io.widerow.storage.Damage;
import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.journal.Journal;
import io.widerow.storage.manifest.StoreFormat;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// A part of a store that another module implements: the tables. It has a directory of its own in
/// the store, with a manifest, files and a journal, and shares the lock, the disk and the threads.
///
/// The store opens it when `FORMAT` says that the store has tables, or when a caller asks for it
/// with [EmbeddedStore#extension]. A store without tables loads no class of it.
///
/// ```
///   Provider.open -> begin -> maintain, flush, snapshot, ... -> close -> free
/// ```
///
/// - Threads: any.
public interface StoreExtension {
  /// Its directory in the directory of the store.
  String DIRECTORY = "tables";

  /// The extension of a store without tables.
  StoreExtension NONE = new NoExtension();

  /// Begins to write, if there is something to write to. Opening changes nothing on the disk.
  ///
  /// @throws StorageException.DiskFull when there is no room; [#maintain] tries again
  void begin();

  /// Flushes old memory, merges files, and begins when there was no room before. The store calls it
  /// about once a second.
  void maintain(Duration openAge);

  /// Flushes everything that is committed, on this thread. Only while no thread writes.
  void flush();

  /// Bytes of native memory.
  long memoryBytes();

  /// The parts that are lost or cannot be read, and what owners of the content reported since.
  List<Damage> damage();

  /// A sentence for each finding of the opening.
  List<String> remarks();

  /// Takes its state for a snapshot of the store. Nothing of it is deleted before [Moment#release].
  Moment snapshot();

  /// Its journal, for a backup; null while it has none.
  @Nullable Lane openLane();

  /// A journal that is written to.
  interface Lane {
    Journal journal();

    /// LSN of the last group that readers see.
    long committedLsn();

    /// LSN of the last frame that is on the disk.
    long forcedLsn();
  }

  /// Flushes committed records, if the store may still write, and refuses later writes.
  void close();

  /// Frees everything, after [#close].
  void free();

  /// The state of the extension of an open store at one moment.
  interface Moment {
    /// Nothing.
    Moment NONE = new NoExtension.Nothing();

    /// True when the extension had nothing on the disk.
    boolean isEmpty();

    /// LSN of the last group that readers see, now.
    long committed();

    /// Puts it into a snapshot.
    ///
    /// @param snapshot directory of the unfinished snapshot
    /// @param committed LSN of the last group that the snapshot has
    Copy copyTo(Path snapshot, long committed);

    void release();
  }

  /// The contents of a snapshot.
  ///
  /// @param files number of files that it shares with the store
  /// @param bytes number of bytes written for it
  record Copy(int files, long bytes) {}

  /// Result of a verification.
  ///
  /// @param files number of files that its manifest lists
  /// @param blocks number of blocks of the files that could be opened
  /// @param bytes size of the files
  /// @param remarks harmless findings
  record Verification(
      long files, long blocks, long bytes, List<Damage> damage, List<String> remarks) {
    public Verification {
      damage = List.copyOf(damage);
      remarks = List.copyOf(remarks);
    }
  }

  /// Result of a repair.
  ///
  /// @param lost data that it no longer has
  /// @param left damage that was not repaired
  /// @param done one sentence for each action
  /// @param journalIsDamaged true when acknowledged groups are lost from its journal; the opening
  ///   that accepts the loss continues without them
  record Repair(List<Damage> lost, List<Damage> left, List<String> done, boolean journalIsDamaged) {
    public Repair {
      lost = List.copyOf(lost);
      left = List.copyOf(left);
      done = List.copyOf(done);
    }
  }

  /// The files of a store whose lock the caller holds.
  ///
  /// @param directory of the store
  /// @param journals of the events; those of the extension are made like them
  record StoreFiles(Disk disk, Path directory, UUID storeId, Journal.Factory journals) {}

  /// Opens, verifies and repairs the extension of a store. [ServiceLoader] finds the one of the
  /// module of tables.
  interface Provider {
    /// Reads the extension of a store, which may have nothing on the disk yet; changes nothing.
    ///
    /// @param readOnly whether it refuses writes
    /// @param acceptsLoss whether to continue without acknowledged groups that the journal lost
    /// @throws StorageException.AcknowledgedDataDamaged when it lost some
    StoreExtension open(ExtensionContext context, boolean readOnly, boolean acceptsLoss);

    /// Puts the extension of a stopped store, whatever its state, into a snapshot.
    Copy snapshot(StoreFiles store, Path snapshot);

    /// Makes the extension of a snapshot empty: the store got it after the moment of the snapshot.
    void snapshotNothing(StoreFiles store, Path snapshot);

    /// Checks every byte, and changes nothing.
    Verification verify(StoreFiles store);

    /// Repairs what it can. A repair that is killed continues when it is started again.
    ///
    /// @param acceptLoss whether to continue without acknowledged groups that the journal lost
    Repair repair(StoreFiles store, boolean acceptLoss);

    /// The provider for a store: the one of the module of tables when `FORMAT` says that the store
    /// has tables, else one that has nothing to open.
    ///
    /// @throws StorageException.Incompatible when the store has tables, and there is no such module
    static Provider of(Disk disk, Path directory) {
      if (!StoreFormat.hasTables(disk, directory)) {
        return NoExtension.PROVIDER;
      }
      return installed(directory.resolve(StoreFormat.NAME), "this store has tables, and ");
    }

    /// The provider of the module of tables, for a store that gets tables.
    ///
    /// @throws StorageException.Incompatible when there is no such module
    static Provider installed(Path directory) {
      return installed(directory, "tables were asked for, and ");
    }

    private static Provider installed(Path place, String why) {
      return ServiceLoader.load(Provider.class, Provider.class.getClassLoader())
          .findFirst()
          .orElseThrow(() ->
              new StorageException.Incompatible(
                  place,
                  why + "no module of tables is on the class path; add the jar of the module"));
    }
  }
}
