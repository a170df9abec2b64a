package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.BatchOutcome;
import io.widerow.storage.Durability;
import java.util.List;

/// The specifics of one protocol that writes over HTTP: its decoder and its responses. Each request
/// has its own instance.
public interface WriteProtocol {
  /// The layers around the body, the one to take off first at the front.
  ///
  /// @throws RequestRefused with 415 when the headers name one that the protocol does not have
  default List<BodyCoding> codings(RequestHeaders headers) throws RequestRefused {
    return BodyCoding.standard(headers);
  }

  /// Whether a body is text, which `charset` of `Content-Type` may name the charset of.
  default boolean isText() {
    return true;
  }

  /// The durability of a request that names none in our way.
  ///
  /// @param configured the daemon's limits for such requests
  default Durability durability(Durability configured) {
    return configured;
  }

  /// The headers by which the same body becomes other events, with their values: a time that they
  /// give, the way in which `Content-Type` has it read. A body that comes again with others is no
  /// repeat. Empty for those of most requests. Not in it: the coding and the charset of the body,
  /// which are taken off before, and `widerow-type`, which counts for every protocol.
  default String decidingHeaders() {
    return "";
  }

  /// Decodes a whole body. Its bad parts are recorded as refused in the batch.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `length`
  /// @throws RequestRefused when nothing of the body is to be stored
  void decode(byte[] body, int length, IncomingBatch batch) throws RequestRefused;

  /// Whether [#decode] may be called again for a further body with the same headers and parameters,
  /// and then gives what a new instance would give. For sources with a body for each record.
  default boolean decodesMore() {
    return false;
  }

  /// Reports what became of the batch.
  default HttpResponse answer(BatchOutcome outcome) {
    return switch (outcome) {
      case BatchOutcome.Stored stored -> stored(stored);
      case BatchOutcome.Overloaded() -> refuse(RequestRefused.overloaded());
      case BatchOutcome.DiskFull(String why) -> refuse(new RequestRefused(diskFull(), why));
      case BatchOutcome.Failed(String why) -> refuse(RequestRefused.ended(why));
    };
  }

  /// Reports a batch of which all events but the refused ones are stored.
  HttpResponse stored(BatchOutcome.Stored stored);

  /// The status of a request for which the disk has no room. Some clients retry only after 503.
  default HttpStatus diskFull() {
    return HttpStatus.INSUFFICIENT_STORAGE;
  }

  /// The status of a response when the events are stored on this machine, and were to wait for the
  /// cluster for longer than they may. Most protocols know only one success.
  ///
  /// @param stored the status that [#answer] gave
  default HttpStatus late(HttpStatus stored) {
    return stored;
  }

  /// Reports that nothing of the request is stored.
  HttpResponse refuse(RequestRefused refused);

  /// Makes the protocol of one request from its headers and parameters.
  @FunctionalInterface
  interface Factory {
    /// @throws RequestRefused when a header or a parameter is wrong
    WriteProtocol of(ServiceRequestContext context, HttpRequest request) throws RequestRefused;
  }
}
