package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpStatus;

/// Refuses a request as a whole: nothing of it is stored.
public final class RequestRefused extends Exception {
  /// Why a request with `Origin` may not change anything.
  static final String BY_WEB_PAGE = "requests from web pages are refused";

  /// Why a request that a browser sends for a page of another site gets no response of its route.
  static final String BY_OTHER_SITE = "requests from web pages of other sites are refused";

  private static final long serialVersionUID = 1L;

  private final transient HttpStatus status;
  private final boolean overload;

  public RequestRefused(HttpStatus status, String reason) {
    this(status, reason, false);
  }

  private RequestRefused(HttpStatus status, String reason, boolean overload) {
    super(reason, null, false, false);
    this.status = status;
    this.overload = overload;
  }

  /// A request that no retry makes right.
  public static RequestRefused bad(String reason) {
    return new RequestRefused(HttpStatus.BAD_REQUEST, reason);
  }

  static RequestRefused tooLarge(int bytesMax) {
    return new RequestRefused(
        HttpStatus.REQUEST_ENTITY_TOO_LARGE,
        "the body is larger than the limit of %d bytes".formatted(bytesMax));
  }

  /// Of a body that stalls. 503, not 408: Prometheus, Promtail and Telegraf drop a batch after 408.
  static RequestRefused tooSlow(long bytes, int seconds) {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "only %d bytes of the body arrived in %d s; nothing of it is stored"
            .formatted(bytes, seconds));
  }

  public static RequestRefused overloaded() {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "overloaded: too many bytes are in flight; try again",
        true);
  }

  /// Writing has ended until the daemon is restarted.
  public static RequestRefused ended(String failure) {
    return new RequestRefused(
        HttpStatus.SERVICE_UNAVAILABLE,
        "writing has ended: %s; nothing of it is stored".formatted(failure));
  }

  /// Whether it is [#overloaded]: some protocols answer 429 then.
  public boolean isOverload() {
    return overload;
  }

  public HttpStatus status() {
    return status;
  }

  public String reason() {
    return String.valueOf(getMessage());
  }
}
