package io.widerow.ingest;

import com.linecorp.armeria.common.HttpData;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpResponseWriter;
import com.linecorp.armeria.common.ResponseHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/// What goes out of a query. A small answer that is there soon goes out whole, with its length, in
/// one write; any other begins with its headers, when its first piece is full or the query has
/// taken a while, and goes on piece by piece.
///
/// ```
///   whole     made ...| headers and all |
///   pieces    made .......| headers | piece | ... made | piece | end |
/// ```
///
/// - Threads: the query's; a timer may send the headers.
final class QueryReply implements AutoCloseable {
  /// After which a client is told that there will be an answer.
  private static final long PATIENCE_MILLIS = 50;

  private final ServiceRequestContext context;
  private final int stallSeconds;
  private final PieceBuffers buffers;
  private final CompletableFuture<HttpResponse> begun = new CompletableFuture<>();
  private final HttpResponse response = HttpResponse.of(begun);
  private @Nullable ResponseHeaders headers; // guarded by this
  private @Nullable HttpResponseWriter pieces; // guarded by this; null until they begin
  private @Nullable Future<?> timer;
  private CompletableFuture<?> sent = CompletableFuture.completedFuture(null); // the last piece

  /// @param stallSeconds how long a reader may take nothing
  QueryReply(ServiceRequestContext context, int stallSeconds) {
    this.context = context;
    this.stallSeconds = stallSeconds;
    this.buffers = new PieceBuffers(context.alloc());
  }

  HttpResponse response() {
    return response;
  }

  /// Says what the answer will be.
  void begin(ResponseHeaders newHeaders) {
    synchronized (this) {
      headers = newHeaders;
    }
    timer = context.eventLoop().schedule(this::pieces, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /// Where pieces go; null when the answer went out whole.
  private synchronized @Nullable HttpResponseWriter pieces() {
    if (pieces == null && headers != null && !begun.isDone()) {
      pieces = HttpResponse.streaming();
      pieces.write(headers);
      begun.complete(pieces);
    }
    return pieces;
  }

  /// Sends a piece, when the one before is in the socket. False when nobody reads any more.
  ///
  /// @throws TimeoutException when the reader took nothing for too long
  /// @throws ExecutionException when the reader has left
  boolean write(byte[] bytes, int length)
      throws ExecutionException, InterruptedException, TimeoutException {
    HttpResponseWriter writer = pieces();
    awaitSent();
    if (writer == null || !writer.tryWrite(buffers.copyOf(bytes, length))) {
      return false;
    }
    sent = writer.whenConsumed();
    return true;
  }

  /// Sends what is left and ends the answer; returns when it is in the socket.
  void end(byte[] bytes, int length)
      throws ExecutionException, InterruptedException, TimeoutException {
    if (timer != null) {
      timer.cancel(false);
    }
    if (tryWhole(HttpData.copyOf(bytes, 0, length))) {
      sent = context.log().whenComplete();
      awaitSent();
      return;
    }
    if (write(bytes, length)) {
      awaitSent();
    }
    endPieces();
  }

  private synchronized boolean tryWhole(HttpData all) {
    return headers != null && pieces == null && begun.complete(HttpResponse.of(headers, all));
  }

  private void awaitSent() throws ExecutionException, InterruptedException, TimeoutException {
    sent.get(stallSeconds, TimeUnit.SECONDS);
  }

  /// Ends the answer where it is; it begins if it did not yet.
  private void endPieces() {
    HttpResponseWriter writer = pieces();
    if (writer != null) {
      writer.close();
    }
  }

  /// Answers something else, if nothing was sent yet.
  synchronized void refuse(HttpResponse other) {
    begun.complete(other);
  }

  /// Breaks the answer off.
  synchronized void fail(Throwable failure) {
    if (pieces != null) {
      pieces.close(failure);
    } else {
      begun.completeExceptionally(failure);
    }
  }

  /// Gives back what is no longer needed; what was sent goes out all the same. On the query's
  /// thread, once nothing more is to come.
  @Override
  public void close() {
    buffers.close();
  }
}
