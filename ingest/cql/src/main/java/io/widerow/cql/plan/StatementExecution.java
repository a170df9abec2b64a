package io.widerow.cql.plan;

import io.widerow.cql.CqlException;
import io.widerow.cql.schema.RequestKey;
import io.widerow.cql.schema.RequestPrincipal;
import java.nio.ByteBuffer;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One execution of a statement.
///
/// @param values of its variables, each null, [#UNSET] or the bytes of a value
/// @param pageSize the most rows of the result; 0 for all
/// @param position where the last page ended; null for the start
/// @param timestamp of its writes in microseconds, unless the statement sets it; null for now
/// @param request the key by which it is done once; null for none
public record StatementExecution(
    List<@Nullable ByteBuffer> values,
    int pageSize,
    @Nullable ByteBuffer position,
    RequestPrincipal asker,
    @Nullable Long timestamp,
    @Nullable RequestKey request) {
  /// Stands for a value that is not set.
  public static final ByteBuffer UNSET = ByteBuffer.allocate(0);

  /// True for a value that is not set, and not for an empty one.
  @SuppressWarnings("ReferenceEquality") // the marker is an object of its own
  public static boolean isUnset(@Nullable ByteBuffer value) {
    return value == UNSET;
  }

  /// Of a statement that writes nothing, or now.
  public StatementExecution(
      List<@Nullable ByteBuffer> values,
      int pageSize,
      @Nullable ByteBuffer position,
      RequestPrincipal asker) {
    this(values, pageSize, position, asker, null, null);
  }

  /// Of a statement that cannot be done once.
  ///
  /// @param why a part of a sentence
  /// @throws CqlException when it has a key
  void requireNoKey(String why) {
    if (request != null) {
      throw CqlException.invalid("%s %s: %s".formatted(RequestKey.NAME, request, why));
    }
  }
}
