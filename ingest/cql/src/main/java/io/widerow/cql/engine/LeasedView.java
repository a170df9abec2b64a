package io.widerow.cql.engine;

import io.widerow.cql.store.FileReads;
import io.widerow.cql.store.TableCursor;
import io.widerow.cql.store.TableView;
import io.widerow.cql.store.Widest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The tables up to a group.
///
/// - Threads: any.
/// - Memory: a lease on a state, which is released when it and the last of its cursors are closed.
final class LeasedView implements TableView {
  private final TableState state;
  private final long lsnMost;
  private final @Nullable UnwrittenGroup group;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final FileReads reads = new FileReads();

  /// @param state with a lease that belongs to the view
  LeasedView(TableState state, long lsnMost) {
    this(state, lsnMost, null);
  }

  private LeasedView(TableState state, long lsnMost, @Nullable UnwrittenGroup group) {
    this.state = state;
    this.lsnMost = lsnMost;
    this.group = group;
  }

  /// The same with one more group, which is in no memory yet.
  LeasedView with(UnwrittenGroup more) {
    if (closed.get() || !state.tryAcquire()) {
      throw new IllegalStateException("the view is closed");
    }
    return new LeasedView(state, lsnMost, more);
  }

  @Override
  public TableCursor scan(byte[] from, byte[] until, boolean descending, long nowSeconds) {
    return open(new KeyRange(from.clone(), until.clone()), descending, nowSeconds);
  }

  /// Opens a cursor over the rows of a range; the caller closes it.
  TableScan open(KeyRange range, boolean descending, long nowSeconds) {
    if (closed.get() || !state.tryAcquire()) {
      throw new IllegalStateException("the view is closed");
    }
    try {
      return new TableScan(this, range, descending, nowSeconds);
    } catch (Throwable failure) {
      state.release();
      throw failure;
    }
  }

  /// A cursor is closed.
  void scanEnded() {
    state.release();
  }

  /// The sources that may have keys of a range.
  List<Fragments> sources(KeyRange range, boolean descending) {
    List<Fragments> sources = memory(range, descending);
    for (LiveTableFile live : state.files()) {
      if (live.file().mayHave(range)) {
        sources.add(live.file().fragments(range, descending, reads));
      }
    }
    return sources;
  }

  @Override
  public long fileBytes(byte[] from, byte[] until) {
    KeyRange range = new KeyRange(from.clone(), until.clone());
    return files(range).stream().mapToLong(file -> file.bytesOf(range)).sum();
  }

  @Override
  public FileReads reads() {
    return reads;
  }

  /// True when some row may be hidden by a header.
  boolean hidesRows() {
    UnwrittenGroup more = group;
    return (more != null && more.hidesRows())
        || state.memories().stream().anyMatch(TableMemory::hidesRows)
        || state.files().stream().anyMatch(live -> live.file().hidesRows());
  }

  @Override
  public Widest widest(byte[] table, boolean onlyLive, int most, long read, long nowSeconds) {
    if (closed.get() || !state.tryAcquire()) {
      throw new IllegalStateException("the view is closed");
    }
    try {
      return new WidestPartitions(this, table, onlyLive, nowSeconds).find(most, read);
    } finally {
      state.release();
    }
  }

  /// The rows of a range of keys in memory.
  List<Fragments> memory(KeyRange range, boolean descending) {
    List<Fragments> sources = new ArrayList<>();
    UnwrittenGroup more = group;
    if (more != null) {
      sources.add(more.fragments(range, descending));
    }
    for (TableMemory memory : state.memories()) {
      if (!memory.isEmpty()) {
        sources.add(memory.fragments(range, descending, lsnMost));
      }
    }
    return sources;
  }

  /// The files that may have keys of a range.
  List<TableFile> files(KeyRange range) {
    return state.files().stream()
        .map(LiveTableFile::file)
        .filter(file -> file.mayHave(range))
        .toList();
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      state.release();
    }
  }
}
