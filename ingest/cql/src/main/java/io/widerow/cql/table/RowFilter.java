package io.widerow.cql.table;

import io.widerow.cql.CqlException;
import io.widerow.cql.CqlException.Code;
import io.widerow.cql.schema.KeyLimits.TupleCondition;
import io.widerow.cql.schema.RequestPrincipal;
import io.widerow.cql.schema.RowCondition;
import io.widerow.cql.schema.RowScan;
import io.widerow.cql.store.TableView;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/// The conditions of a scan on the rows in its ranges, and whether it was cancelled.
///
/// - Threads: one; it may be cancelled by any.
final class RowFilter {
  private static final long NANOS_MAX = TimeUnit.MINUTES.toNanos(2);
  private static final int ROWS_OF_LOOK = 256;

  private final RowScan scan;
  private final KeySpans spans;
  private final RequestPrincipal asker;
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final long begun = System.nanoTime();
  private @Nullable List<RowCondition> rest;
  private int rows;
  private long tested;
  private long kept;

  RowFilter(RowScan scan, KeySpans spans, RequestPrincipal asker) {
    this.scan = scan;
    this.spans = spans;
    this.asker = asker;
    asker.onCancel().accept(() -> cancelled.set(true));
  }

  KeySpans spans() {
    return spans;
  }

  /// Bytes that the scan holds from now on until the result is done; throws when there is no room.
  void hold(long bytes) {
    asker.memory().accept(bytes);
  }

  boolean descending() {
    return scan.descending();
  }

  /// The most rows of a partition.
  int rowsOfPartition() {
    int most = scan.limits().rowsOfPartition();
    return most == 0 ? Integer.MAX_VALUE : most;
  }

  /// Whether a row that lies in the ranges is wanted.
  boolean test(TableRow row) {
    tested++;
    boolean meets = meetsAll(row);
    kept += meets ? 1 : 0;
    return meets;
  }

  /// The page is read: records what it took.
  void end(TableView view) {
    asker.trace(() ->
        "Read %d rows, %d meet all conditions; %d blocks of table files, %d bytes"
            .formatted(tested, kept, view.reads().blocks(), view.reads().bytes()));
  }

  private boolean meetsAll(TableRow row) {
    requireGoingOn();
    if (row.key().clustering() == null && spans.isClusteringRestricted()) {
      return false;
    }
    List<RowCondition> conditions = rest;
    if (conditions == null) {
      conditions = spans.rest();
      rest = conditions;
    }
    for (RowCondition condition : conditions) {
      if (!condition.test(row)) {
        return false;
      }
    }
    for (TupleCondition tuple : scan.limits().tuples()) {
      if (!tuple.test(row)) {
        return false;
      }
    }
    return true;
  }

  void requireGoingOn() {
    if (++rows % ROWS_OF_LOOK != 0) {
      return;
    }
    if (cancelled.get()) {
      throw new CqlException(Code.OVERLOADED, "the client has left");
    }
    if (System.nanoTime() - begun > NANOS_MAX) {
      throw new CqlException(Code.OVERLOADED, "the query takes longer than two minutes; narrow it");
    }
  }
}
