package io.widerow.ingest.receive.prometheus;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.common.RequestHeaders;
import io.widerow.ingest.http.RequestRefused;
import java.util.List;

/// The message of a request, and the numbers of those of its fields that differ.
///
/// Sources: prometheus/prometheus `prompb/types.proto`,
/// `prompb/io/prometheus/write/v2/types.proto`.
enum MessageVersion {
  /// `prometheus.WriteRequest`.
  ONE("prometheus.WriteRequest", 1, 4, 3),

  /// `io.prometheus.write.v2.Request`.
  TWO("io.prometheus.write.v2.Request", 5, 3, 4);

  private static final String TYPE = "application/x-protobuf";

  final String message;
  final int series;
  final int histograms;
  final int exemplars;

  MessageVersion(String message, int series, int histograms, int exemplars) {
    this.message = message;
    this.series = series;
    this.histograms = histograms;
    this.exemplars = exemplars;
  }

  /// The version that `Content-Type` names. Without one it is 1.0, as for Prometheus itself.
  ///
  /// @throws RequestRefused with 415 when it is something else
  static MessageVersion of(RequestHeaders headers) throws RequestRefused {
    String given = headers.get(HttpHeaderNames.CONTENT_TYPE, "");
    if (given.isEmpty()) {
      return ONE;
    }
    MediaType type = headers.contentType();
    if (type == null || !type.nameWithoutParameters().equals(TYPE)) {
      throw unknown(given);
    }
    List<String> messages = type.parameters().getOrDefault("proto", List.of(ONE.message));
    for (MessageVersion version : values()) {
      if (messages.equals(List.of(version.message))) {
        return version;
      }
    }
    throw unknown(given);
  }

  private static RequestRefused unknown(String given) {
    return new RequestRefused(
        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
        "Content-Type must be %s, with proto=%s or proto=%s, got %s"
            .formatted(TYPE, ONE.message, TWO.message, given));
  }
}
