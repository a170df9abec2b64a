package io.widerow.storage;

import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// How long events are kept, by type. A policy may change at any time. Readers do not see expired
/// events, even while the disk still has them. An event that has already expired when it arrives is
/// refused.
///
/// - Threads: any. No call waits or takes a lock.
public interface RetentionLookup {
  /// The shortest retention of a policy that keeps everything.
  long KEPT_FOREVER = Long.MAX_VALUE;

  /// A file is written again when one part in so many of it has expired, or so many bytes.
  int REWRITTEN_SHARE = 16;

  long REWRITTEN_BYTES = 64 << 20;

  /// Keeps everything indefinitely.
  RetentionLookup FOREVER =
      new RetentionLookup() {
        @Override
        public boolean isExpired(String type, long bucketEndNanos, long nowNanos) {
          return false;
        }

        @Override
        public @Nullable Duration of(String type) {
          return null;
        }

        @Override
        public long shortestNanos() {
          return KEPT_FOREVER;
        }
      };

  /// True when the expired part of a file is enough to write it again without it. What is left is
  /// written again at most once more for each retention in it: newly written files have one.
  ///
  /// @param past bytes that have expired
  /// @param bytes all bytes of the file
  static boolean isMuch(long past, long bytes) {
    return past >= bytes / REWRITTEN_SHARE || past >= REWRITTEN_BYTES;
  }

  /// True when a bucket of a type has expired.
  ///
  /// @param bucketEndNanos end of the bucket (exclusive), nanoseconds since the Unix epoch
  /// @param nowNanos the time now, nanoseconds since the Unix epoch
  boolean isExpired(String type, long bucketEndNanos, long nowNanos);

  /// How long events of a type are kept, counted from the end of their bucket; null for no limit.
  @Nullable Duration of(String type);

  /// The policies with a filter that hide events in addition; none by default.
  default List<FilteredRetention> filtered() {
    return List.of();
  }

  /// No retention of any type is shorter, in nanoseconds; [#KEPT_FOREVER] when no event ever
  /// expires. A lane asks it once a batch and looks at the types of older events only, so it must
  /// cost no more than a read of a field.
  long shortestNanos();
}
