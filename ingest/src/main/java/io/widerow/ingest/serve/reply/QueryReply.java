package io.widerow.ingest.serve.reply;

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
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The HTTP response of a query. A small and fast answer is sent whole, with its length, in one
/// write. Any other is streamed: the headers are sent when the first piece is full or after
/// [#PATIENCE_MILLIS], and then the pieces.
///
/// ```
///   whole     made ...| headers and all |
///   pieces    made .......| headers | piece | ... made | piece | end |
/// ```
///
/// - Threads: the query's; a timer may send the headers.
public final class QueryReply implements AutoCloseable {
  /// Time after which the client gets the headers even without a piece.
  private static final long PATIENCE_MILLIS = 50;

  private static final int PIECE_BYTES = 1 << 20;

  private final ServiceRequestContext context;
  private final int stallSeconds;
  private final PieceBuffers buffers;
  private final CompletableFuture<HttpResponse> begun = new CompletableFuture<>();
  private final HttpResponse response = HttpResponse.of(begun);
  private @Nullable ResponseHeaders headers; // guarded by this
  private @Nullable HttpResponseWriter pieces; // guarded by this; null until they begin
  private @Nullable Future<?> timer;
  private CompletableFuture<?> sent = CompletableFuture.completedFuture(null); // of the last piece

  /// @param stallSeconds how long a reader may take nothing
  QueryReply(ServiceRequestContext context, int stallSeconds) {
    this.context = context;
    this.stallSeconds = stallSeconds;
    this.buffers = new PieceBuffers(context.alloc());
  }

  /// The response to the client.
  public HttpResponse response() {
    return response;
  }

  /// True when the response has its headers: an error is a part of it from then on.
  public synchronized boolean hasBegun() {
    return headers != null;
  }

  /// Sets the headers of the response. Call it when the first row is there, because an error before
  /// it has a status of its own.
  public void begin(ResponseHeaders newHeaders) {
    synchronized (this) {
      headers = newHeaders;
    }
    timer = context.eventLoop().schedule(this::pieces, PATIENCE_MILLIS, TimeUnit.MILLISECONDS);
  }

  /// As [#begin], if the answer has not begun.
  public void beginOnce(Supplier<ResponseHeaders> newHeaders) {
    if (!hasBegun()) {
      begin(newHeaders.get());
    }
  }

  /// The writer of pieces; null when the response was sent whole.
  private synchronized @Nullable HttpResponseWriter pieces() {
    if (pieces == null && headers != null && !begun.isDone()) {
      pieces = HttpResponse.streaming();
      pieces.write(headers);
      begun.complete(pieces);
    }
    return pieces;
  }

  /// Sends bytes, in pieces, each once the previous one is in the socket. Returns false when the
  /// reader is gone.
  ///
  /// @throws TimeoutException when the reader took nothing for too long
  /// @throws ExecutionException when the reader has left
  public boolean write(byte[] bytes, int length)
      throws ExecutionException, InterruptedException, TimeoutException {
    int from = 0;
    while (length - from > PIECE_BYTES) {
      if (!writePiece(bytes, from, PIECE_BYTES)) {
        return false;
      }
      from += PIECE_BYTES;
    }
    return writePiece(bytes, from, length - from);
  }

  private boolean writePiece(byte[] bytes, int from, int length)
      throws ExecutionException, InterruptedException, TimeoutException {
    HttpResponseWriter writer = pieces();
    awaitSent();
    if (writer == null || !writer.tryWrite(buffers.copyOf(bytes, from, length))) {
      return false;
    }
    sent = writer.whenConsumed();
    return true;
  }

  /// Sends the last bytes and ends the response. Returns when they are in the socket. Many bytes
  /// are sent in pieces, so that a reader may take its time for each.
  public void end(byte[] bytes, int length)
      throws ExecutionException, InterruptedException, TimeoutException {
    if (timer != null) {
      timer.cancel(false);
    }
    if (length <= PIECE_BYTES && tryWhole(HttpData.copyOf(bytes, 0, length))) {
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

  /// Ends a streamed answer, after its headers if they were not sent yet.
  private void endPieces() {
    HttpResponseWriter writer = pieces();
    if (writer != null) {
      writer.close();
    }
  }

  /// Sends another response instead, if nothing was sent yet.
  public synchronized void refuse(HttpResponse other) {
    begun.complete(other);
  }

  /// Aborts the response.
  public synchronized void fail(Throwable failure) {
    if (pieces != null) {
      pieces.close(failure);
    } else {
      begun.completeExceptionally(failure);
    }
  }

  /// Frees the buffers; pieces that were sent still reach the socket. Call it on the query's thread
  /// after the last piece.
  @Override
  public void close() {
    buffers.close();
  }
}
