package io.widerow.ingest;

import com.linecorp.armeria.common.HttpStatus;

/// Why a request is refused as a whole, nothing of it being stored.
final class RequestRefused extends Exception {
  private static final long serialVersionUID = 1L;

  private final transient HttpStatus status;

  RequestRefused(HttpStatus status, String reason) {
    super(reason, null, false, false);
    this.status = status;
  }

  static RequestRefused tooLarge(int bytesMax) {
    return new RequestRefused(
        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
        "the body is larger than the limit of %d bytes".formatted(bytesMax));
  }

  static RequestRefused tooSlow(long bytes, int seconds) {
    return new RequestRefused(
        HttpStatus.REQUEST_TIMEOUT,
        "only %d bytes of the body came in %d s; nothing of it is stored"
            .formatted(bytes, seconds));
  }

  static RequestRefused overloaded() {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE, "too much is on its way in already; try again");
  }

  /// Writing has ended for good, until the daemon is started again.
  static RequestRefused ended(String failure) {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "writing has ended: %s; nothing of it is stored".formatted(failure));
  }

  HttpStatus status() {
    return status;
  }

  String reason() {
    return String.valueOf(getMessage());
  }
}
