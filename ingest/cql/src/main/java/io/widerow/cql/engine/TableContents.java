package io.widerow.cql.engine;

import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.ExtensionContext;
import io.widerow.storage.manifest.Manifest;
import io.widerow.storage.manifest.ManifestEdit;
import io.widerow.storage.manifest.ManifestSections;
import io.widerow.storage.manifest.TableEntry;
import io.widerow.storage.manifest.TableSection;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The current contents of the tables, and the only way to change them. A change is durable before
/// readers see it.
///
/// - Threads: any. The lock of this object orders the changes; reading takes none.
/// - Memory: owns the manifest's file, and a lease on each part of the state, until [#close].
/// - Errors: a failed edit of the manifest ends the write side of the whole store.
final class TableContents implements AutoCloseable {
  static final int LANE = 0;

  private final ExtensionContext context;
  private final Manifest manifest; // guarded by this
  private final TableFiles files;
  private volatile TableState state; // replaced under the lock of this
  private volatile long committed; // LSN up to which readers see groups
  private volatile boolean closed;

  /// A moment, with a lease on the state, which the caller releases.
  record Moment(ManifestEdit manifest, TableState state) {}

  TableContents(
      ExtensionContext context, Manifest manifest, TableFiles files, List<LiveTableFile> listed) {
    this.context = context;
    this.manifest = manifest;
    this.files = files;
    this.state = new TableState(List.of(), listed);
  }

  ExtensionContext context() {
    return context;
  }

  TableFiles files() {
    return files;
  }

  TableState state() {
    return state;
  }

  long committed() {
    return committed;
  }

  /// Shows readers every group up to an LSN.
  void publish(long lsn) {
    committed = lsn;
  }

  /// Everything that is committed. The mark comes first: what it covers is in the state then.
  LeasedView view() {
    return view(committed);
  }

  /// Everything up to a group.
  LeasedView view(long lsn) {
    return new LeasedView(lease(), lsn);
  }

  /// The present state, with a lease that the caller releases.
  TableState lease() {
    while (!closed) {
      TableState now = state;
      if (now.tryAcquire()) {
        return now;
      }
    }
    throw new IllegalStateException("the store is closed");
  }

  /// Switches to the memory that takes the next groups; the earlier memory stays readable.
  synchronized void turn(TableMemory next) {
    List<TableMemory> memories = new ArrayList<>();
    memories.add(next);
    memories.addAll(state.memories());
    replace(memories, state.files());
  }

  private void replace(List<TableMemory> memories, List<LiveTableFile> live) {
    TableState before = state;
    state = new TableState(memories, live);
    before.release();
  }

  synchronized long takeId() {
    return manifest.takeSegmentId();
  }

  /// Rewrites the manifest, so that it takes later edits.
  synchronized void rewrite() {
    manifest.rewrite();
  }

  synchronized void keepRoom() {
    manifest.keepRoom();
  }

  /// A file replaces the oldest memory.
  ///
  /// @param written null when the memory has nothing that lasts
  synchronized void flushed(TableMemory memory, @Nullable LiveTableFile written) {
    List<LiveTableFile> live = new ArrayList<>(state.files());
    if (written != null) {
      live.add(written);
    }
    commit(live, Map.of(LANE, memory.lsnLast()), manifest.journals());
    List<TableMemory> memories = new ArrayList<>(state.memories());
    memories.remove(memory);
    replace(memories, live);
    memory.close();
  }

  /// A file replaces others.
  ///
  /// @param written null when nothing is left of them
  void merged(List<LiveTableFile> merged, @Nullable LiveTableFile written) {
    synchronized (this) {
      List<LiveTableFile> live = new ArrayList<>(state.files());
      live.removeAll(merged);
      if (written != null) {
        live.add(written);
      }
      commit(live, Map.of(), manifest.journals());
      replace(state.memories(), live);
    }
    merged.forEach(each -> each.retire(() -> delete(each.entry())));
  }

  private void delete(TableEntry entry) {
    if (context.store().holdsLock()) {
      context.store().tidy(() -> files.delete(entry));
    }
  }

  /// Everything that was journaled is in files; the lane continues after an LSN.
  synchronized void recovered(long lsn) {
    commit(state.files(), Map.of(LANE, lsn), 0);
  }

  /// The lane has a journal; the next start misses one that is gone.
  synchronized void journalStarted() {
    commit(state.files(), Map.of(), 1);
  }

  private void commit(List<LiveTableFile> live, Map<Integer, Long> sealed, int journals) {
    List<TableEntry> entries = live.stream().map(LiveTableFile::entry).toList();
    ManifestSections sections = TableSection.ofUnsorted(entries).toSections();
    var edit =
        new ManifestEdit(
            manifest.segmentIdNext(),
            1,
            context.store().clock().durableNanos(),
            List.of(),
            List.of(),
            sealed,
            journals,
            sections);
    context.store().requireLock();
    try {
      manifest.commit(edit);
    } catch (StorageException.DiskFull full) {
      throw full; // nothing was written
    } catch (RuntimeException failure) {
      throw context.store().fail("write the manifest of the tables", failure);
    }
  }

  synchronized Moment moment() {
    TableState now = state;
    if (!now.tryAcquire()) {
      throw new IllegalStateException("the present state is not open");
    }
    return new Moment(manifest.snapshot(), now);
  }

  @Override
  public synchronized void close() {
    if (closed) {
      return;
    }
    closed = true;
    TableState last = state;
    last.memories().forEach(TableMemory::close);
    last.files().forEach(LiveTableFile::close);
    last.release();
    manifest.close();
  }
}
