package io.widerow.faults;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.widerow.ingest.receive.prometheus.Messages;
import java.time.Instant;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.LongStream;

/// How numbered events travel in one HTTP protocol. Event `n` of each is an event of the type
/// [#type] with the attribute `n`, and has its own time. [#ALL] is the table: a further protocol is
/// a further row.
///
/// @param type of its events, and its name
/// @param path to which they are posted
/// @param events in a batch, at least 16 unless times are finer than a millisecond
/// @param stored what the answer to a batch that is stored begins with: its status, a space, the
///   body
/// @param full status of the answer when the disk is full
/// @param encoder of the events of a batch
public record NumberedSender(
    String type,
    String path,
    String contentType,
    int events,
    String stored,
    int full,
    Encoder encoder) {
  private static final String FORM = "application/x-www-form-urlencoded";
  private static final String JSON = "application/json";
  private static final String LINES = "application/x-ndjson";
  private static final String TEXT = "text/plain";
  private static final long SECONDS = 1_767_323_000L; // 2026-01-02T03:03:20Z

  /// The protocols that are tested.
  public static final List<NumberedSender> ALL =
      List.of(
          new NumberedSender(
              "json",
              "/v1/events",
              LINES,
              20,
              "200 {\"",
              507,
              text((first, count) ->
                  lines(first, count, "{\"ts\":%2$d%3$09d,\"type\":\"json\",\"n\":%1$d}%n"))),
          new NumberedSender(
              "line",
              "/api/v2/write",
              TEXT,
              40,
              "204 ",
              507,
              text((first, count) -> lines(first, count, "line n=%1$di %2$d%3$09d%n"))),
          new NumberedSender(
              "influx3",
              "/api/v3/write_lp?db=x",
              TEXT,
              40,
              "204 ",
              503,
              text((first, count) -> lines(first, count, "influx3 n=%1$di %2$d%3$09d%n"))),
          new NumberedSender(
              "elastic",
              "/_bulk",
              LINES,
              20,
              "200 {\"errors\":false,",
              503,
              text((first, count) ->
                  lines(
                      first,
                      count,
                      "{\"create\":{\"_index\":\"elastic-2026.01.02\"}}%n"
                          + "{\"@timestamp\":\"%4$s.%3$09dZ\",\"n\":%1$d}%n"))),
          new NumberedSender(
              "elasticid",
              "/elasticid/_bulk",
              LINES,
              17,
              "200 {\"errors\":false,",
              503,
              text((first, count) ->
                  lines(
                      first,
                      count,
                      "{\"index\":{\"_id\":\"id-%1$d\"}}%n"
                          + "{\"@timestamp\":\"%4$s.%3$09dZ\",\"n\":%1$d}%n"))),
          new NumberedSender(
              "hec",
              "/services/collector/event/1.0",
              FORM,
              20,
              "200 {\"text\":\"Success\",\"code\":0}",
              507,
              text((first, count) ->
                  lines(
                      first,
                      count,
                      "{\"time\":\"%2$d.%3$09d\",\"sourcetype\":\"hec\",\"event\":\"e\","
                          + "\"fields\":{\"n\":%1$d}}"))),
          new NumberedSender(
              "datadog",
              "/api/v2/logs",
              JSON,
              20,
              "202 {}",
              507,
              text((first, count) ->
                  "["
                      + lines(
                              first,
                              count,
                              "{\"service\":\"datadog\",\"timestamp\":%2$d%5$03d,"
                                  + "\"message\":\"m\",\"n\":%1$d},")
                          .replaceAll(",$", "]"))),
          new NumberedSender(
              "gelf",
              "/gelf",
              JSON,
              1,
              "202 ",
              503,
              text((first, count) ->
                  lines(
                      first,
                      count,
                      "{\"version\":\"1.1\",\"host\":\"h\",\"short_message\":\"m\","
                          + "\"timestamp\":%2$d.%3$09d,\"_n\":%1$d}"))),
          new NumberedSender(
              "loki",
              "/loki/api/v1/push",
              JSON,
              20,
              "204 ",
              503,
              text((first, count) ->
                  "{\"streams\":[{\"stream\":{\"app\":\"loki\"},\"values\":["
                      + lines(first, count, "[\"%2$d%3$09d\",\"m\",{\"n\":%1$d}],")
                          .replaceAll(",$", "]}]}"))),
          new NumberedSender(
              "otlp",
              "/v1/logs",
              JSON,
              20,
              "200 {}",
              503,
              text((first, count) ->
                  "{\"resourceLogs\":[{\"resource\":{\"attributes\":[{\"key\":\"service.name\","
                      + "\"value\":{\"stringValue\":\"otlp\"}}]},"
                      + "\"scopeLogs\":[{\"logRecords\":["
                      + lines(
                              first,
                              count,
                              "{\"timeUnixNano\":\"%2$d%3$09d\",\"attributes\":[{\"key\":\"n\","
                                  + "\"value\":{\"intValue\":\"%1$d\"}}]},")
                          .replaceAll(",$", "]}]}]}"))),
          new NumberedSender(
              "prometheus",
              "/api/v1/write",
              "application/x-protobuf",
              5, // of any number a repeat is known
              "204 ",
              507,
              NumberedSender::remoteWrite));

  /// Makes the body of a batch.
  @FunctionalInterface
  public interface Encoder {
    /// @param first number of its first event
    byte[] encode(long first, int count);
  }

  /// Makes the body of a batch that is text.
  @FunctionalInterface
  private interface TextEncoder {
    String encode(long first, int count);
  }

  private static Encoder text(TextEncoder encoder) {
    return (first, count) -> encoder.encode(first, count).getBytes(UTF_8);
  }

  /// One series; `n` is the value of its samples.
  private static byte[] remoteWrite(long first, int count) {
    byte[][] parts = new byte[1 + count][];
    parts[0] = Messages.labels("__name__", "prometheus");
    for (int i = 0; i < count; i++) {
      parts[1 + i] = Messages.sample((double) (first + i), 1_000 * SECONDS + first + i);
    }
    return Messages.packed(Messages.series(parts));
  }

  /// The body of a batch.
  public byte[] body(long first) {
    return encoder.encode(first, events);
  }

  /// Fills in a form for each event: 1 its number, 2 the second and 3 the nanosecond of its time, 4
  /// the time to the second as RFC 3339 has it, 5 the millisecond.
  private static String lines(long first, int count, String form) {
    return LongStream.range(first, first + count)
        .mapToObj(n -> {
          long nanos = n % 1_000 * 1_000_000 + 100; // finer than a millisecond
          long second = SECONDS + n / 1_000;
          String text = Instant.ofEpochSecond(second).toString().replace("Z", "");
          return form.formatted(n, second, nanos, text, n % 1_000);
        })
        .collect(Collectors.joining());
  }

  @Override
  public String toString() {
    return type;
  }
}
