package io.widerow.storage.objects.s3;

import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.exception.SdkException;

/// Reads an object from its begin to its end. After a broken connection it goes on where it was, if
/// the object is still the same.
///
/// - Threads: one.
final class ResumedStream extends InputStream {
  private static final int BREAKS_MAX = 5; // without a byte between them
  private static final Duration PAUSE = Duration.ofMillis(200);

  private final Attempts attempts;
  private final String name;
  private final Source source;
  private @Nullable Part part;
  private @Nullable String tag;
  private long bytes;
  private long at;
  private int breaks;

  /// An object from a byte on.
  ///
  /// @param bytes that follow
  record Part(InputStream in, Runnable abort, long bytes, String tag) {}

  /// Opens an object.
  interface Source {
    Part open(long from, @Nullable String tag);
  }

  ResumedStream(Attempts attempts, String name, Source source) {
    this.attempts = attempts;
    this.name = name;
    this.source = source;
  }

  /// False when there is no such object.
  boolean begin() {
    Part opened = attempts.run("get " + name, () -> source.open(at, tag));
    if (opened == null) {
      return false;
    }
    part = opened;
    if (at == 0) {
      bytes = opened.bytes();
      tag = opened.tag();
    }
    return true;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, target.length);
    while (true) {
      if (at == bytes || length == 0) {
        return length == 0 ? 0 : -1;
      }
      try {
        int got = Objects.requireNonNull(part).in().read(target, offset, length);
        if (got > 0) {
          at += got;
          breaks = 0;
          return got;
        }
        throw new IOException("%s ends at byte %d of %d".formatted(name, at, bytes));
      } catch (IOException | SdkException broken) {
        resume(broken);
      }
    }
  }

  private void resume(Exception broken) throws IOException {
    if (++breaks > BREAKS_MAX) {
      throw new IOException(
          "%s broke at byte %d of %d, %d times".formatted(name, at, bytes, breaks), broken);
    }
    close();
    Attempts.pause(PAUSE);
    try {
      if (!begin()) {
        throw new IOException(name + ": it is gone", broken);
      }
    } catch (Attempts.Refused changed) {
      throw new IOException(name + ": it was replaced while it was read", changed);
    }
  }

  @Override
  public void close() {
    if (part != null) {
      part.abort().run();
      part = null;
    }
  }
}
