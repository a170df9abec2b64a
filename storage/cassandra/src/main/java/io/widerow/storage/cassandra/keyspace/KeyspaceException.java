package io.widerow.storage.cassandra.keyspace;

/// A statement did not succeed. The future of the statement completes with it, unwrapped.
public final class KeyspaceException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /// The kind of failure of the statement, and whether it may have been applied.
  public enum Kind {
    /// No node could be asked, or too few replicas are up. A write was not applied by enough
    /// replicas, and may have been by some. Passes by itself.
    UNREACHABLE,
    /// No response in time: it may have been applied, or will be later. Passes by itself.
    TIMEOUT,
    /// The cluster refuses: schema, authentication, permission, a statement too large. Stays until
    /// an operator changes something.
    REFUSED
  }

  public final Kind kind;

  public KeyspaceException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  public KeyspaceException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }
}
