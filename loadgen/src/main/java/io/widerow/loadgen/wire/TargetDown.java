package io.widerow.loadgen.wire;

import java.io.IOException;

/// The target accepted no connection at the start of the run.
public final class TargetDown extends IOException {
  private static final long serialVersionUID = 1L;

  private TargetDown(Endpoint endpoint, IOException cause) {
    super(
        "%s cannot be reached at %s: %s".formatted(endpoint.target(), endpoint, cause.getMessage()),
        cause);
  }

  public static void check(Endpoint endpoint) throws TargetDown {
    try {
      endpoint.connect().close();
    } catch (IOException failure) {
      throw new TargetDown(endpoint, failure);
    }
  }
}
