package io.widerow.cql.store;

import java.util.Arrays;
import java.util.Comparator;
import org.jspecify.annotations.Nullable;

/// A cell, or the liveness of a row, which has no value.
final class ModelCell {
  /// Column and path, in the order in which cells come.
  static final class Name {
    static final Comparator<Name> ORDER =
        Comparator.<Name>comparingInt(name -> name.column)
            .thenComparing(name -> name.path, Comparator.nullsFirst(Arrays::compareUnsigned));

    final int column;
    final byte @Nullable [] path;

    Name(int column, byte @Nullable [] path) {
      this.column = column;
      this.path = path;
    }
  }

  final long timestamp;
  final int ttl; // 0 for a cell that does not expire
  final long expiry;
  final byte @Nullable [] value; // null for a tombstone

  private ModelCell(long timestamp, int ttl, long expiry, byte @Nullable [] value) {
    this.timestamp = timestamp;
    this.ttl = ttl;
    this.expiry = expiry;
    this.value = value;
  }

  static ModelCell of(long timestamp, int ttl, long expiry, byte[] value) {
    return new ModelCell(timestamp, ttl, ttl == 0 ? Long.MAX_VALUE : expiry, value);
  }

  static ModelCell tombstone(long timestamp) {
    return new ModelCell(timestamp, 0, Long.MAX_VALUE, null);
  }

  /// 2 for a tombstone, 1 for a cell that expires, 0 for one that stays.
  private int rank() {
    return value == null ? 2 : ttl > 0 ? 1 : 0;
  }

  /// The one of two that stays.
  ModelCell or(ModelCell other) {
    if (timestamp != other.timestamp) {
      return timestamp > other.timestamp ? this : other;
    }
    if (rank() != other.rank()) {
      return rank() > other.rank() ? this : other;
    }
    if (expiry != other.expiry) {
      return expiry > other.expiry ? this : other;
    }
    if (ttl != other.ttl) {
      return ttl < other.ttl ? this : other;
    }
    byte[] mine = value;
    byte[] its = other.value;
    return mine == null || its == null || Arrays.compareUnsigned(mine, its) >= 0 ? this : other;
  }

  boolean isLive(long nowSeconds) {
    return value != null && nowSeconds < expiry;
  }
}
