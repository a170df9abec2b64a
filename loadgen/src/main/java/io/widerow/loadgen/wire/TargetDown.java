package io.widerow.loadgen.wire;

import java.io.IOException;

/// The target did not take a connection when the run was to begin.
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
