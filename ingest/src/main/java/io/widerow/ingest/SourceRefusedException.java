package io.widerow.ingest;

import java.io.Serial;

/// A source cannot be read as it is configured. Unlike a log that is away, waiting does not help.
public final class SourceRefusedException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  /// @param why with the key of the configuration in it
  SourceRefusedException(IllegalArgumentException why) {
    super(why.getMessage(), why);
  }
}
