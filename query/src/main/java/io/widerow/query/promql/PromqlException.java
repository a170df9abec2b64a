package io.widerow.query.promql;

/// A query that is no PromQL, or that has no result. The message is worded as Prometheus does.
public final class PromqlException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final boolean isExecution;

  private PromqlException(String message, boolean isExecution) {
    super(message);
    this.isExecution = isExecution;
  }

  /// The text of the query, or a parameter, is wrong.
  public static PromqlException ofRequest(String message) {
    return new PromqlException(message, false);
  }

  /// The query has no result over the samples that there are.
  public static PromqlException ofExecution(String message) {
    return new PromqlException(message, true);
  }

  /// True when the query is PromQL.
  public boolean isExecution() {
    return isExecution;
  }
}
