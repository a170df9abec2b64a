package io.widerow.ingest;

import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/// Whether the daemon may still write. It ends once and for all lanes: a store that lost a write
/// cannot promise the next one.
///
/// - Threads: any.
final class WriteSide {
  private final AtomicReference<@Nullable String> failure = new AtomicReference<>();

  /// Why it has ended; null while it works.
  @Nullable String failure() {
    return failure.get();
  }

  /// Ends it. The first reason stays.
  void fail(Throwable cause) {
    String message = cause.getMessage();
    failure.compareAndSet(null, message != null ? message : cause.toString());
  }
}
