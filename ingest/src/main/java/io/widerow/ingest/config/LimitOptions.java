package io.widerow.ingest.config;

import java.util.Map;

/// Configuration of the limits for clients that use more than their share.
///
/// @param connectionsPerAddressMax HTTP connections at a time from one address of another machine,
///   or from one IPv6 /64; 0 for no limit
/// @param headerSeconds how long the headers of a request, or a TLS handshake, may take
/// @param http2FramesMax control frames of an HTTP/2 connection in ten seconds
/// @param bodyRateMin bytes of a body that must arrive per second, averaged over
///   [#BODY_RATE_SECONDS]
/// @param stallSeconds how long a query waits for a reader that takes nothing
/// @param queryMemoryBytes memory that all queries together may hold for blocks
/// @param typesMax types that senders may bring into being
/// @param typesPerHour how many of them in an hour
public record LimitOptions(
    int connectionsPerAddressMax,
    int headerSeconds,
    int http2FramesMax,
    int bodyRateMin,
    int stallSeconds,
    long queryMemoryBytes,
    int typesMax,
    int typesPerHour) {
  /// Interval at which the pace of a body is checked.
  public static final int BODY_RATE_SECONDS = 10;

  private static final long QUERY_MEMORY_MIN = 8L << 20;
  private static final int TYPES_LIMIT = 10_000_000;

  public LimitOptions {
    require(
        connectionsPerAddressMax >= 0,
        "connections-per-address-max must not be negative, got " + connectionsPerAddressMax);
    require(headerSeconds >= 1, "header-seconds must be at least 1, got " + headerSeconds);
    require(http2FramesMax >= 1, "http2-frames-max must be at least 1, got " + http2FramesMax);
    require(bodyRateMin >= 1, "body-rate-min must be at least 1, got " + bodyRateMin);
    require(stallSeconds >= 1, "stall-seconds must be at least 1, got " + stallSeconds);
    require(
        queryMemoryBytes >= QUERY_MEMORY_MIN,
        "query-memory-bytes must be at least %d, got %d"
            .formatted(QUERY_MEMORY_MIN, queryMemoryBytes));
    require(
        typesMax >= 1 && typesMax <= TYPES_LIMIT,
        "types-max must be 1 to %d, got %d".formatted(TYPES_LIMIT, typesMax));
    require(typesPerHour >= 1, "types-per-hour must be at least 1, got " + typesPerHour);
  }

  private static void require(boolean holds, String message) {
    if (!holds) {
      throw new IllegalArgumentException(message);
    }
  }

  static void putDefaults(Map<String, String> defaults, HeapShares shares) {
    defaults.put("connections-per-address-max", "64");
    defaults.put("header-seconds", "10");
    defaults.put("http2-frames-max", "1000");
    defaults.put("body-rate-min", "1024");
    defaults.put("stall-seconds", "30");
    defaults.put("query-memory-bytes", Long.toString(shares.queryMemoryBytes()));
    defaults.put("types-max", "50000");
    defaults.put("types-per-hour", "20000");
  }

  static LimitOptions of(ConfigValues values) {
    return new LimitOptions(
        values.number("connections-per-address-max"),
        values.number("header-seconds"),
        values.number("http2-frames-max"),
        values.number("body-rate-min"),
        values.number("stall-seconds"),
        values.bytes("query-memory-bytes"),
        values.number("types-max"),
        values.number("types-per-hour"));
  }

  void putTo(Map<String, String> values) {
    values.put("connections-per-address-max", Integer.toString(connectionsPerAddressMax));
    values.put("header-seconds", Integer.toString(headerSeconds));
    values.put("http2-frames-max", Integer.toString(http2FramesMax));
    values.put("body-rate-min", Integer.toString(bodyRateMin));
    values.put("stall-seconds", Integer.toString(stallSeconds));
    values.put("query-memory-bytes", Long.toString(queryMemoryBytes));
    values.put("types-max", Integer.toString(typesMax));
    values.put("types-per-hour", Integer.toString(typesPerHour));
  }
}
