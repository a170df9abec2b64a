package io.widerow.loadgen;

import java.io.IOException;

/// A question was answered with a status that is no answer to it.
final class HttpRefusal extends IOException {
  private static final long serialVersionUID = 1L;

  private final int status;

  HttpRefusal(String path, int status, String text) {
    super(path + " answered " + status + ": " + text.strip());
    this.status = status;
  }

  int status() {
    return status;
  }
}
