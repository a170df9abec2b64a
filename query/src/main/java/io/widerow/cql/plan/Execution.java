package io.widerow.cql.plan;

import io.widerow.cql.schema.Asker;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One execution of a statement.
///
/// @param values of its variables, each null, [#UNSET] or the bytes of a value
/// @param pageSize the most rows of the answer; 0 for all
/// @param position where the last page ended; null for the start
/// @param timestamp of what it writes in microseconds, unless the statement says; null for now
public record Execution(
    List<@Nullable ByteBuffer> values,
    int pageSize,
    @Nullable ByteBuffer position,
    Asker asker,
    @Nullable Long timestamp) {
  /// Stands for a value that is not set. Compare by identity.
  public static final ByteBuffer UNSET = ByteBuffer.allocate(0);

  /// Of a statement that writes nothing, or now.
  public Execution(
      List<@Nullable ByteBuffer> values, int pageSize, @Nullable ByteBuffer position, Asker asker) {
    this(values, pageSize, position, asker, null);
  }
}
