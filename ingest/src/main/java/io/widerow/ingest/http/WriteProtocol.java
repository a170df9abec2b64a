package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpRequest;
import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.server.ServiceRequestContext;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.lane.Outcome;

/// What is specific to one protocol that writes over HTTP: its decoder and its answers. There is
/// one instance for each request.
public interface WriteProtocol {
  /// Decodes a whole body.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes after `length`
  void decode(byte[] body, int length, IncomingBatch batch);

  /// Reports what became of the batch.
  HttpResponse answer(Outcome outcome);

  /// Reports that nothing of the request is stored.
  HttpResponse refuse(RequestRefused refused);

  /// Makes the protocol of one request from its headers and parameters.
  @FunctionalInterface
  interface Factory {
    /// @throws RequestRefused when a header or a parameter is wrong
    WriteProtocol of(ServiceRequestContext context, HttpRequest request) throws RequestRefused;
  }
}
