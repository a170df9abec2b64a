package io.widerow.cli.ship;

import java.util.List;
import org.jspecify.annotations.Nullable;

/// Events on their way to a daemon, in one request. They are sent again with the same bytes and the
/// same key until they are acknowledged.
///
/// - Threads: any; it never changes.
interface Delivery {
  /// The endpoint.
  default String path() {
    return "/v1/events";
  }

  /// The type of the body.
  default String mediaType() {
    return "application/x-ndjson";
  }

  /// Parameters of the endpoint, encoded, such as `type=app`.
  String parameters();

  /// The idempotency key.
  String key();

  /// The body: JSON lines, one for each event, unless [#mediaType] is another.
  byte[] json();

  /// What became of the events; null when the response does not tell.
  default @Nullable BatchResponse response(int status, String body) {
    return status == 200 || status == 202 || status == 400 ? BatchResponse.of(body) : null;
  }

  /// Bytes of the file that it is of.
  long fileBytes();

  /// Where an event is in the file, for people.
  ///
  /// @param index of the event in this delivery, from 0
  String place(int index);

  /// The deliveries that retry events that the daemon refused.
  default Remedy remedy(BatchResponse answer) {
    return new Remedy(answer, List.of());
  }

  /// The final part of a response, and the retries.
  ///
  /// @param answer with the final refusals
  /// @param again deliveries to send before this one counts as acknowledged
  record Remedy(BatchResponse answer, List<Delivery> again) {}
}
