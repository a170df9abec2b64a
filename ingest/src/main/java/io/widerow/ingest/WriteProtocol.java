package io.widerow.ingest;

import com.linecorp.armeria.common.HttpResponse;

/// What one way of writing over HTTP has of its own: its decoder and its answers. One per request.
interface WriteProtocol {
  /// Decodes a whole body.
  ///
  /// @param body with [Swar#SLACK_BYTES] readable bytes behind `length`
  void decode(byte[] body, int length, IncomingBatch batch);

  /// Says what became of the batch.
  HttpResponse answer(Outcome outcome);

  /// Says that nothing of the request is stored.
  HttpResponse refuse(RequestRefused refused);
}
