package io.widerow.query;

import org.jspecify.annotations.Nullable;

/// Why a query is not answered, or not to its end. The list is closed; what the store itself cannot
/// do is a [io.widerow.storage.StorageException].
public abstract sealed class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private QueryException(String message) {
    super(message);
  }

  /// What was asked makes no sense. The message names the parameter and holds the value.
  public static final class Refused extends QueryException {
    private static final long serialVersionUID = 1L;

    public Refused(String parameter, String why) {
      super(parameter + ": " + why);
    }
  }

  /// The query goes on from a position whose events are past their retention.
  public static final class Expired extends QueryException {
    private static final long serialVersionUID = 1L;

    /// Where what is left begins; null when nothing is.
    public final transient @Nullable Token first;

    public Expired(Token after, @Nullable Token first) {
      this(
          "after: events of %s at the position %s are past their retention; %s"
              .formatted(
                  after.type(),
                  after,
                  first == null ? "nothing is left behind it" : "what is left begins at " + first),
          first);
    }

    Expired(String message, @Nullable Token first) {
      super(message);
      this.first = first;
    }
  }

  /// The query would take more than its budget allows. The message names the part.
  public static final class OverBudget extends QueryException {
    private static final long serialVersionUID = 1L;

    public OverBudget(String part, long allowed, long needed, String advice) {
      super(
          "the query needs more than its budget of %d %s (%d so far); %s"
              .formatted(allowed, part, needed, advice));
    }
  }

  /// The query was cancelled, or ran out of time.
  public static final class Stopped extends QueryException {
    private static final long serialVersionUID = 1L;

    public Stopped(String why) {
      super(why);
    }
  }

  /// The daemon that was asked cannot be reached, or answered with an error.
  public static final class Remote extends QueryException {
    private static final long serialVersionUID = 1L;

    public Remote(String why) {
      super(why);
    }
  }
}
