package io.widerow.loadgen.run;

import java.io.IOException;

/// A server answered, and what it said is not so.
public final class WrongAnswer extends IOException {
  private static final long serialVersionUID = 1L;

  public WrongAnswer(String message) {
    super(message);
  }
}
