package io.widerow.storage;

/// Ends a read of a view with a deadline, see [EventStore#viewWithin(long)]: it would block, or the
/// deadline has passed. This is not an error.
public final class WouldBlockException extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// Has no stack trace: filling one in would cost more than the read it ends.
  public WouldBlockException() {
    super("the read would block", null, false, false);
  }
}
