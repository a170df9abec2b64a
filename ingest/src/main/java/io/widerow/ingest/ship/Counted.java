package io.widerow.ingest.ship;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Counts the bytes of a file as they are on disk.
///
/// - Threads: one.
final class Counted extends FilterInputStream {
  private long bytes;

  Counted(InputStream in) {
    super(in);
  }

  long bytes() {
    return bytes;
  }

  @Override
  public int read() throws IOException {
    int read = super.read();
    bytes += read < 0 ? 0 : 1;
    return read;
  }

  @Override
  public int read(byte[] into, int offset, int count) throws IOException {
    int read = super.read(into, offset, count);
    bytes += Math.max(0, read);
    return read;
  }
}
