package io.widerow.storage.cassandra.keyspace;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/// How long events are kept, by type. The same for all daemons of a store, and changed while they
/// run: what is past its retention is not shown, whatever is still there.
///
/// - Threads: any. No call waits.
public interface RetentionPolicy {
  /// Keeps everything for ever.
  RetentionPolicy FOREVER =
      new RetentionPolicy() {
        @Override
        public boolean isExpired(String type, long bucketEndNanos, long nowNanos) {
          return false;
        }

        @Override
        public @Nullable Duration of(String type) {
          return null;
        }
      };

  /// True when a bucket of a type is past its retention.
  ///
  /// @param bucketEndNanos end of the bucket (exclusive), nanoseconds since the Unix epoch
  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  boolean isExpired(String type, long bucketEndNanos, long nowNanos);

  /// How long events of a type are kept, counted from the end of their bucket; null for ever.
  @Nullable Duration of(String type);
}
