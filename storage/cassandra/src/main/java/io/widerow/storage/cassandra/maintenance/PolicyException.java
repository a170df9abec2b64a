package io.widerow.storage.cassandra.maintenance;

/// The body of a policy was not written by this program, but by a newer one or by hand.
final class PolicyException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  PolicyException(String message) {
    super(message);
  }

  PolicyException(String message, Throwable cause) {
    super(message, cause);
  }
}
