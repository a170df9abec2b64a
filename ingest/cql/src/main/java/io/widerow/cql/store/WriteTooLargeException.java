package io.widerow.cql.store;

/// A write has more bytes than the store takes at once.
public final class WriteTooLargeException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  public WriteTooLargeException(String sentence) {
    super(sentence);
  }
}
