package io.widerow.loadgen.run;

import java.io.IOException;

/// A server gave a response that is not true.
public final class WrongAnswer extends IOException {
  private static final long serialVersionUID = 1L;

  public WrongAnswer(String message) {
    super(message);
  }
}
