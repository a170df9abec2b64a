package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpObject;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Subscriber;
import org.reactivestreams.Subscription;

/// The body of a request as a stream that a thread reads. What it does not read stays with the
/// sender: only [#PIECES_MAX] pieces are asked for at a time, after which the connection is not
/// read.
///
/// - Threads: the event loop delivers, one thread reads, any may call [#stop].
/// - Memory: holds up to [#PIECES_MAX] pieces, each as large as the server reads at a time.
final class PieceStream extends InputStream implements Subscriber<HttpObject> {
  static final int PIECES_MAX = 4;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ArrayDeque<HttpData> pieces = new ArrayDeque<>(PIECES_MAX); // guarded by the lock
  private final Waiting waiting;
  private @Nullable Subscription subscription; // guarded by the lock, as all that follows
  private boolean ended;
  private boolean gone;
  private boolean stopped;
  private boolean dropping;
  private int offset; // in the first piece
  private long received;

  /// The action of a reader while nothing arrives.
  @FunctionalInterface
  interface Waiting {
    /// Called by the reader before it waits, without the lock, and again after each wait that was
    /// in vain.
    ///
    /// @param waits that have been in vain since the last piece
    /// @return how long to wait at most, in nanoseconds; 0 for as long as it takes
    /// @throws IOException to give up
    long nanos(int waits) throws IOException;
  }

  /// The sender has left before the end of its body.
  static final class GoneException extends IOException {
    private static final long serialVersionUID = 1L;

    GoneException() {
      super("the sender has left");
    }
  }

  /// [#stop] was called.
  static final class StoppedException extends IOException {
    private static final long serialVersionUID = 1L;

    StoppedException() {
      super("stopped");
    }
  }

  PieceStream(Waiting waiting) {
    this.waiting = waiting;
  }

  @Override
  public void onSubscribe(Subscription newSubscription) {
    locked(() -> subscription = newSubscription);
    newSubscription.request(PIECES_MAX);
  }

  @Override
  public void onNext(HttpObject object) {
    if (object instanceof HttpData piece && keep(piece)) {
      return;
    }
    if (object instanceof HttpData piece) {
      piece.close();
    }
    request();
  }

  private boolean keep(HttpData piece) {
    lock.lock();
    try {
      received += piece.length();
      boolean wanted = !dropping && !piece.isEmpty();
      if (wanted) {
        pieces.add(piece);
        changed.signal();
      }
      return wanted;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onError(Throwable cause) {
    locked(() -> gone = true);
  }

  @Override
  public void onComplete() {
    locked(() -> ended = true);
  }

  /// Makes the reader end with a [StoppedException].
  void stop() {
    locked(() -> stopped = true);
  }

  private void locked(Runnable change) {
    lock.lock();
    try {
      change.run();
      changed.signal();
    } finally {
      lock.unlock();
    }
  }

  private void request() {
    Subscription asked;
    lock.lock();
    try {
      asked = subscription;
    } finally {
      lock.unlock();
    }
    if (asked != null) {
      asked.request(1);
    }
  }

  /// Returns the number of bytes that have arrived, including unread ones.
  long received() {
    lock.lock();
    try {
      return received;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public int read() {
    throw new UnsupportedOperationException("a byte at a time is not needed");
  }

  /// Reads what has arrived, or waits for it.
  ///
  /// @return how many bytes; -1 at the end of the body
  @Override
  public int read(byte[] out, int at, int length) throws IOException {
    int waits = 0;
    while (true) {
      long nanos = waiting(waits);
      if (nanos < 0) {
        return take(out, at, length);
      }
      waits += await(nanos) ? 0 : 1;
    }
  }

  /// The time to wait for the next piece; negative when there is one, or the end.
  private long waiting(int waits) throws IOException {
    boolean there;
    lock.lock();
    try {
      if (stopped) {
        throw new StoppedException();
      }
      if (pieces.isEmpty() && gone) {
        throw new GoneException();
      }
      there = !pieces.isEmpty() || ended;
    } finally {
      lock.unlock();
    }
    return there ? -1 : waiting.nanos(waits);
  }

  /// False when the time ran out.
  private boolean await(long nanos) throws IOException {
    lock.lock();
    try {
      long left = nanos;
      while (pieces.isEmpty() && !ended && !gone && !stopped) {
        if (nanos == 0) {
          changed.await();
        } else if (left <= 0) {
          return false;
        } else {
          left = changed.awaitNanos(left);
        }
      }
      return true;
    } catch (InterruptedException interrupted) {
      throw new IOException(interrupted);
    } finally {
      lock.unlock();
    }
  }

  private int take(byte[] out, int at, int length) {
    HttpData finished = null;
    int count;
    lock.lock();
    try {
      HttpData piece = pieces.peek();
      if (piece == null) {
        return -1;
      }
      count = Math.min(length, piece.length() - offset);
      piece.byteBuf().getBytes(piece.byteBuf().readerIndex() + offset, out, at, count);
      offset += count;
      if (offset == piece.length()) {
        finished = pieces.remove();
        offset = 0;
      }
    } finally {
      lock.unlock();
    }
    if (finished != null) {
      finished.close();
      request();
    }
    return count;
  }

  @Override
  public int available() {
    lock.lock();
    try {
      HttpData piece = pieces.peek();
      return piece == null ? 0 : piece.length() - offset;
    } finally {
      lock.unlock();
    }
  }

  /// Drops what has arrived, and what arrives from now on.
  @Override
  public void close() {
    Subscription asked;
    lock.lock();
    try {
      dropping = true;
      pieces.forEach(HttpData::close);
      pieces.clear();
      asked = ended || gone ? null : subscription;
    } finally {
      lock.unlock();
    }
    if (asked != null) {
      asked.request(Long.MAX_VALUE);
    }
  }
}
