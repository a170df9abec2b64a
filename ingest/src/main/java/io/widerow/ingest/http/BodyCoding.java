package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.RequestHeaders;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/// One layer around a body that is taken off before it is decoded.
public enum BodyCoding {
  /// RFC 1952, one or more members.
  GZIP("gzip"),

  /// RFC 1950 (zlib); also raw RFC 1951, which some clients send under this name.
  DEFLATE("deflate"),

  /// RFC 8878, one or more frames, with windows of up to 8 MiB.
  ZSTD("zstd"),

  /// One block of snappy, which begins with its length. Not its framed format.
  SNAPPY("snappy block"),

  /// Gzip, zlib or nothing, by the first bytes, whatever the headers are.
  BY_SIGHT("gzip or zlib"),

  /// The prefix of a gRPC message. When it says that the message is not compressed, the coding
  /// after this one does not apply.
  GRPC("gRPC message");

  private final String shown;

  BodyCoding(String shown) {
    this.shown = shown;
  }

  /// For messages: what a body should be.
  String shown() {
    return shown;
  }

  /// The codings that `Content-Encoding` names, the one to take off first at the front.
  ///
  /// @throws RequestRefused with 415 for one that is not known; snappy is none of them
  public static List<BodyCoding> standard(RequestHeaders headers) throws RequestRefused {
    String named = headers.get(HttpHeaderNames.CONTENT_ENCODING, "identity");
    List<BodyCoding> codings = new ArrayList<>(1);
    for (String name : named.split(",", -1)) {
      switch (name.strip().toLowerCase(Locale.ROOT)) {
        case "identity", "" -> {}
        case "gzip", "x-gzip" -> codings.addFirst(GZIP);
        case "deflate" -> codings.addFirst(DEFLATE);
        case "zstd" -> codings.addFirst(ZSTD);
        default -> throw unknown("gzip, deflate, zstd or identity", named);
      }
    }
    if (codings.size() > 1) {
      throw unknown("a single one of gzip, deflate, zstd", named);
    }
    return codings;
  }

  /// The refusal of another `Content-Encoding`.
  ///
  /// @param wanted the required value
  public static RequestRefused unknown(String wanted, String got) {
    return new RequestRefused(
        HttpStatus.UNSUPPORTED_MEDIA_TYPE,
        "Content-Encoding must be %s, got %s".formatted(wanted, got));
  }
}
