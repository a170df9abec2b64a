package io.widerow.storage.cassandra.maintenance;

/// The body of a policy is not what this program writes: a newer program did, or somebody by hand.
final class PolicyException extends IllegalArgumentException {
  private static final long serialVersionUID = 1L;

  PolicyException(String message) {
    super(message);
  }

  PolicyException(String message, Throwable cause) {
    super(message, cause);
  }
}
