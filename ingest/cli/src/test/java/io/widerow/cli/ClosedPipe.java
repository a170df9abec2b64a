package io.widerow.cli;

import java.io.IOException;
import java.io.OutputStream;

/// A standard output that refuses every write.
final class ClosedPipe extends OutputStream {
  private final String why;

  ClosedPipe(String why) {
    this.why = why;
  }

  @Override
  public void write(int one) throws IOException {
    throw new IOException(why);
  }
}
