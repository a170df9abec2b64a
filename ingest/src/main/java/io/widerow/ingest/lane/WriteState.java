package io.widerow.ingest.lane;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// The state of writing: whether the daemon may still write. After a failure writing ends for good,
/// on all lanes: a store that lost a write cannot promise the next one.
///
/// - Threads: any.
public final class WriteState {
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /// Why writing has ended; null while it works.
  @Nullable String failure() {
    return failure.get();
  }

  /// Ends writing. The first reason is kept.
  void fail(Throwable cause) {
    String message = cause.getMessage();
    failure.compareAndSet(null, message != null ? message : cause.toString());
  }
}
