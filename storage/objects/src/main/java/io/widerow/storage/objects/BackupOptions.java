package io.widerow.storage.objects;

import java.time.Duration;

/// How a store is backed up.
///
/// @param every interval of shipping frames
/// @param checkpoint interval of checkpoints
/// @param spoolBytes bytes of journals that are kept while the object store is away
/// @param objectBytes bytes of frames at which an object ends
/// @param host of the daemon, for people
/// @param retention how long it is kept
public record BackupOptions(
    Duration every,
    Duration checkpoint,
    long spoolBytes,
    int objectBytes,
    String host,
    RetentionOptions retention) {
  public static final int OBJECT_BYTES = 8 << 20;

  public BackupOptions {
    if (every.isNegative() || checkpoint.isNegative() || spoolBytes < 0) {
      throw new IllegalArgumentException(
          "intervals and bytes are not negative, got %s, %s, %d"
              .formatted(every, checkpoint, spoolBytes));
    }
  }
}
