package io.widerow.storage;

/// Ends what a thread does with a view that it asked for in a hurry, see
/// [EventStore#viewWithin(long)]: it would have to wait, or has taken too long. Nothing is wrong.
public final class WouldWait extends RuntimeException {
  private static final long serialVersionUID = 1;

  /// It has no stack trace: making one would take longer than what it ends.
  WouldWait() {
    super("would have to wait", null, false, false);
  }
}
