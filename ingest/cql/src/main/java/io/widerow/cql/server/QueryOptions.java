package io.widerow.cql.server;

import io.widerow.cql.CqlException;
import io.widerow.cql.plan.StatementExecution;
import io.widerow.cql.plan.Variable;
import io.widerow.cql.protocol.BodyReader;
import io.widerow.cql.protocol.FrameReader;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The parameters of a QUERY or an EXECUTE, without its statement.
///
/// @param values in the order of the request
/// @param names of the values; empty when they have none
/// @param skipMetadata true when the client requests rows without metadata
/// @param pageSize the maximum number of rows of the response; 0 for all
/// @param sealed the end of the last page; null for the start
/// @param keyspace for tables without one; null for the keyspace of the connection
/// @param timestamp of the write, in microseconds; null for now
/// @param consistency has no effect but for what it refuses
record QueryOptions(
    List<@Nullable ByteBuffer> values,
    List<String> names,
    boolean skipMetadata,
    int pageSize,
    @Nullable ByteBuffer sealed,
    @Nullable String keyspace,
    @Nullable Long timestamp,
    Consistency consistency) {
  private static final int VALUES = 0x01;
  private static final int SKIP_METADATA = 0x02;
  private static final int PAGE_SIZE = 0x04;
  private static final int PAGING_STATE = 0x08;
  private static final int SERIAL_CONSISTENCY = 0x10;
  private static final int TIMESTAMP = 0x20;
  private static final int NAMES = 0x40;
  private static final int KEYSPACE = 0x80;
  private static final int NOW_IN_SECONDS = 0x100;

  static QueryOptions read(BodyReader body, int version) {
    Consistency consistency = Consistency.read(body);
    boolean five = version == FrameReader.VERSION_MAX;
    int flags = five ? body.integer() : body.unsignedByte();
    List<@Nullable ByteBuffer> values = new ArrayList<>();
    List<String> names = new ArrayList<>();
    if ((flags & VALUES) != 0) {
      int count = body.unsignedShort();
      for (int i = 0; i < count; i++) {
        if ((flags & NAMES) != 0) {
          names.add(body.string());
        }
        values.add(body.value(version));
      }
    }
    int pageSize = (flags & PAGE_SIZE) == 0 ? 0 : requirePageSize(body.integer());
    ByteBuffer sealed = (flags & PAGING_STATE) == 0 ? null : body.bytes();
    boolean skip = (flags & SKIP_METADATA) != 0;
    End end = End.read(body, flags, five, consistency);
    return new QueryOptions(
        values, names, skip, pageSize, sealed, end.keyspace, end.timestamp, end.consistency);
  }

  /// The last options, also of a BATCH.
  private record End(@Nullable String keyspace, @Nullable Long timestamp, Consistency consistency) {
    static End read(BodyReader body, int flags, boolean five, Consistency level) {
      Consistency levels = (flags & SERIAL_CONSISTENCY) != 0 ? level.withSerial(body) : level;
      Long timestamp = (flags & TIMESTAMP) != 0 ? body.longInteger() : null;
      String keyspace = five && (flags & KEYSPACE) != 0 ? body.string() : null;
      if (five && (flags & NOW_IN_SECONDS) != 0) {
        int _ = body.integer();
      }
      return new End(keyspace, timestamp, levels);
    }
  }

  /// The options of a BATCH, whose values come with its statements.
  static QueryOptions readBatch(BodyReader body, int version, List<@Nullable ByteBuffer> values) {
    Consistency consistency = Consistency.read(body);
    boolean five = version == FrameReader.VERSION_MAX;
    int flags = five ? body.integer() : body.unsignedByte();
    if ((flags & NAMES) != 0) {
      throw CqlException.protocol("Named values are not supported in a batch");
    }
    End end = End.read(body, flags, five, consistency);
    return new QueryOptions(
        values, List.of(), false, 0, null, end.keyspace, end.timestamp, end.consistency);
  }

  private static int requirePageSize(int rows) {
    if (rows == 0) {
      throw CqlException.protocol("The page size cannot be 0");
    }
    return Math.max(rows, 0); // a negative one means no pages
  }

  /// The values in the order of the variables; named values are found by name.
  List<@Nullable ByteBuffer> valuesOf(List<Variable> variables) {
    if (names.isEmpty()) {
      return values;
    }
    List<@Nullable ByteBuffer> ordered = new ArrayList<>();
    for (Variable variable : variables) {
      int place = names.indexOf(variable.name());
      ordered.add(place < 0 ? StatementExecution.UNSET : values.get(place));
    }
    return ordered;
  }
}
