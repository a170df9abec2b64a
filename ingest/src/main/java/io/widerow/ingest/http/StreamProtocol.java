package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.storage.Durability;
import java.util.List;

/// The specifics of one protocol whose requests have unbounded bodies: the framing, the decoding of
/// frames, and the responses. A frame can be stored without its neighbours. Each request has its
/// own instance. For requests whose bodies fit into memory see [WriteProtocol].
///
/// - Threads: one.
public interface StreamProtocol {
  /// No frame ends in the bytes so far.
  int MORE = -1;

  /// The layer around the body, if there is one.
  ///
  /// @throws RequestRefused with 415 when the headers name one that the protocol does not have
  default List<BodyCoding> codings(RequestHeaders headers) throws RequestRefused {
    return BodyCoding.standard(headers);
  }

  /// The durability of a request that names none in our way.
  ///
  /// @param configured the daemon's limits for such requests
  default Durability durability(Durability configured) {
    return configured;
  }

  /// The largest frame in bytes. A larger one is refused and passed over, whatever its size.
  int frameBytesMax();

  /// Looks for the end of a frame in the bytes that follow those of the last call. It must not need
  /// to see a byte twice.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  /// @return the offset after the frame, in `(offset, limit]`, from which the next call goes on; or
  ///   [#MORE] when all bytes belong to a frame that has not ended
  /// @throws RequestRefused when the following frames cannot be separated. The frames before it are
  ///   stored
  int frameEnd(byte[] bytes, int offset, int limit) throws RequestRefused;

  /// Ends the frame that the end of the body has cut off, so that it is decoded like the others.
  ///
  /// @throws RequestRefused when only a part of it is there. The frames before it are stored
  void endFrame() throws RequestRefused;

  /// Decodes one frame. Its bad parts are recorded as refused in the batch. A batch that found no
  /// room is dropped, and its frames are decoded again.
  ///
  /// @param bytes with [Swar#SLACK_BYTES] readable bytes after `limit`
  void decode(byte[] bytes, int offset, int limit, IncomingBatch batch);

  /// Makes the response after everything except the refused events is stored.
  HttpResponse answer();

  /// Reports that the request has ended before its body did. What came before is stored.
  HttpResponse refuse(RequestRefused refused);

  /// Makes the protocol of one request from its headers and parameters.
  @FunctionalInterface
  interface Factory {
    /// @throws RequestRefused when a header or a parameter is wrong
    StreamProtocol of(ServiceRequestContext context, HttpRequest request) throws RequestRefused;
  }
}
