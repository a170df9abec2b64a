package io.widerow.loadgen;

import java.io.IOException;

/// A server answered, and what it said is not so.
final class WrongAnswer extends IOException {
  private static final long serialVersionUID = 1L;

  WrongAnswer(String message) {
    super(message);
  }
}
