package io.widerow.cql.change;

import io.widerow.cql.key.TableKeys;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import java.util.List;
import java.util.function.BooleanSupplier;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// Fills a new index with the rows that its table has. Keys are searched while other writes run;
/// each write takes some of the keys and writes the entries of their current rows, with the
/// position from which a restart continues. Other writes in between update the index themselves.
///
/// - Threads: one, which waits for the writes.
public final class IndexFill {
  private final TableWriter writer;
  private final WrittenSchema schema;
  private final Target target;

  /// The index and the record of its build.
  public interface Target {
    /// The index as the schema has it now; null when it was dropped, or its table emptied.
    ///
    /// It is called by the running write.
    @Nullable IndexWriter index();

    /// Keeps the key from which a restart continues.
    void proceed(byte[] from, Mutations out);

    /// Keeps that the index has all rows, or is gone.
    void end(Mutations out);
  }

  public IndexFill(TableWriter writer, WrittenSchema schema, Target target) {
    this.writer = writer;
    this.schema = schema;
    this.target = target;
  }

  /// Returns when all rows are in the index, or the index is gone. That is durable.
  ///
  /// @param index as the schema has it
  /// @param keys of its table
  /// @param from the key to begin with; empty for the first one
  /// @param read gets the number of rows of each write
  /// @param ended whether it stops before all rows are in the index
  /// @return false when it has stopped so
  public boolean run(
      IndexWriter index, TableKeys keys, byte[] from, LongConsumer read, BooleanSupplier ended) {
    FillPages pages = new FillPages(writer, keys, index.takesHeaders());
    byte[] next = from.length == 0 ? keys.fromToken(Long.MIN_VALUE) : from;
    List<byte[]> page = pages.page(next);
    while (!page.isEmpty()) {
      if (ended.getAsBoolean()) {
        return false;
      }
      List<byte[]> rows = page;
      boolean isThere = writer.write((before, out) -> write(rows, before, out));
      if (!isThere) {
        return true;
      }
      read.accept(rows.size());
      page = pages.page(TableKeys.next(rows.getLast()));
    }
    return writer.write((_, out) -> {
      target.end(out);
      return true;
    });
  }

  private boolean write(List<byte[]> page, TableView before, Mutations out) {
    IndexWriter index = target.index();
    if (index == null) {
      target.end(out);
      return false;
    }
    long time = schema.viewTime(before, out);
    for (byte[] key : page) {
      StoredRow row = StoredRow.find(index.table(), before, key);
      if (row != null) { // else it was deleted after its key was read
        index.fill(row, out, time);
      }
    }
    target.proceed(TableKeys.next(page.getLast()), out);
    return true;
  }
}
