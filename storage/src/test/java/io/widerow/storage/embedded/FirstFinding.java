package io.widerow.storage.embedded;

import org.jspecify.annotations.Nullable;

/// The first finding of checks that run inside operations of a store. It is thrown as it is, even
/// if the store caught it first and wrapped it in a failure.
///
/// - Threads: one.
final class FirstFinding {
  private @Nullable AssertionError found;

  /// Runs a check of what a power cut left, unless one has failed.
  void check(Runnable check) {
    if (found != null) {
      return;
    }
    try {
      check.run();
    } catch (AssertionError failure) {
      found = failure;
      throw failure;
    } catch (RuntimeException failure) {
      found = new AssertionError("what a cut left cannot be opened: " + failure, failure);
      throw found;
    }
  }

  /// Runs operations, and throws what a check has found.
  void operate(Runnable operations) {
    try {
      operations.run();
    } catch (RuntimeException | Error failure) {
      if (found != null && !failure.equals(found)) {
        found.addSuppressed(failure);
        throw found;
      }
      throw failure;
    }
    if (found != null) {
      throw found;
    }
  }
}
