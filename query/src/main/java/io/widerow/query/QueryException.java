package io.widerow.query;

import org.jspecify.annotations.Nullable;

/// The failure of a query, or the reason why its result is incomplete. A closed family; failures of
/// the store itself are a [io.widerow.storage.StorageException].
public abstract sealed class QueryException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private QueryException(String message) {
    super(message);
  }

  /// A parameter is invalid. The message names it and its value.
  public static final class Refused extends QueryException {
    private static final long serialVersionUID = 1L;

    public Refused(String parameter, String why) {
      super(parameter + ": " + why);
    }
  }

  /// The query continues from a position whose events are past their retention.
  public static final class Expired extends QueryException {
    private static final long serialVersionUID = 1L;

    /// The token at which the remaining events begin; null when there are none.
    public final @Nullable String first;

    /// @param type the type of the position's event
    /// @param after the token of the position
    /// @param first see [#first]
    public Expired(String type, String after, @Nullable String first) {
      this(
          "after: events of %s at the position %s have expired; %s"
              .formatted(
                  type,
                  after,
                  first == null
                      ? "no later events are left"
                      : "the remaining events begin at " + first),
          first);
    }

    /// @param message the message of the daemon that was asked
    /// @param first see [#first]
    public Expired(String message, @Nullable String first) {
      super(message);
      this.first = first;
    }
  }

  /// The query exceeds one of its budgets. The message names it.
  public static final class OverBudget extends QueryException {
    private static final long serialVersionUID = 1L;

    public OverBudget(String part, long allowed, long needed, String advice) {
      super(
          "the query needs more than its budget of %d %s (%d so far); %s"
              .formatted(allowed, part, needed, advice));
    }
  }

  /// The query was cancelled or ran out of time.
  public static final class Stopped extends QueryException {
    private static final long serialVersionUID = 1L;

    public Stopped(String why) {
      super(why);
    }
  }

  /// The daemon cannot be reached, or it answered with an error.
  public static final class Remote extends QueryException {
    private static final long serialVersionUID = 1L;

    public Remote(String why) {
      super(why);
    }
  }
}
