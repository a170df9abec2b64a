package io.widerow.cql.change;

import io.widerow.cql.CqlException;
import io.widerow.cql.key.TableKeys;
import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.TableOptions;
import io.widerow.cql.store.Mutations;
import io.widerow.cql.store.TableView;
import io.widerow.cql.table.RowReader;
import io.widerow.cql.table.TableRow;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/// The requests of the last day that had a key, with their results. They are rows of a table that
/// is in no schema, with the greatest number. The row of a request is in the group of what the
/// request writes, so that after a crash both are there or neither.
///
/// ```
///   sender and key  ->  statement, answer; for a day
/// ```
final class RequestLedger {
  private static final int KEPT_SECONDS = 86_400;
  private static final int STATEMENT = 2;
  private static final int ANSWER = 3;

  private static final Table ROWS =
      new Table(
          "system",
          "requests",
          List.of(
              new Column("request", NativeType.BLOB, Kind.PARTITION_KEY, 0, false, 1),
              new Column("answer", NativeType.BLOB, Kind.REGULAR, -1, false, ANSWER),
              new Column("statement", NativeType.BLOB, Kind.REGULAR, -1, false, STATEMENT)),
          TableOptions.NONE,
          new Table.Stored(Integer.MAX_VALUE, new UUID(0, 1), ANSWER + 1));
  private static final TableKeys KEYS = TableKeys.of(ROWS);

  private RequestLedger() {}

  /// The answer to a request that was done before; null when it was not.
  ///
  /// @throws CqlException when its key was given to another statement
  static @Nullable StoredResponse find(TableView before, RequestKey request, long nowSeconds) {
    byte[] partition = KEYS.partition(List.of(request.place()));
    TableRow row =
        new RowReader(ROWS, before, nowSeconds).find(partition, KEYS.row(partition, List.of()));
    if (row == null) {
      return null;
    }
    if (!request.statement().equals(row.value(ROWS.find("statement")))) {
      throw CqlException.invalid(
          "%s %s belongs to another statement".formatted(RequestKey.NAME, request));
    }
    return StoredResponse.of((ByteBuffer) Objects.requireNonNull(row.value(ROWS.find("answer"))));
  }

  /// Keeps the answer to a request for a day.
  ///
  /// @param timestamp microseconds
  static void write(
      RequestKey request, StoredResponse answer, Mutations out, long timestamp, long nowSeconds) {
    byte[] partition = KEYS.partition(List.of(request.place()));
    long expiry = nowSeconds + KEPT_SECONDS;
    var _ =
        out.row(KEYS.row(partition, List.of()), partition.length)
            .cell(
                STATEMENT,
                null,
                WireCodec.bytes(request.statement()),
                timestamp,
                KEPT_SECONDS,
                expiry)
            .cell(ANSWER, null, answer.toBytes(), timestamp, KEPT_SECONDS, expiry);
  }
}
