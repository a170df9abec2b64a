package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.format.SnappyBlock;
import io.widerow.loadgen.wire.HttpText;
import io.widerow.loadgen.workload.Scenario;
import java.io.ByteArrayOutputStream;
import java.net.InetSocketAddress;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.nio.charset.StandardCharsets;
import java.time.Instant;

/// A question that keeps a daemon busy: it looks at each event of a range.
public enum HeavyQuery {
  /// Our own: a percentile of a number by host, or lines that match a regular expression.
  SCAN,
  /// The same effort in LogQL: the sum of a number by region, or of one that is parsed from lines.
  LOGQL,
  /// All samples of a metric by Prometheus' remote read.
  READ;

  private static final int VARINT = 0;
  private static final int BYTES = 2;

  /// Events of one type in a range of time.
  ///
  /// @param fromNanos start (inclusive), nanoseconds since the Unix epoch
  /// @param untilNanos end (exclusive)
  public record Range(Scenario scenario, long fromNanos, long untilNanos) {}

  /// True when events of a scenario can be asked for so.
  public boolean suits(Scenario scenario) {
    return this == READ ? scenario == Scenario.COUNTER : scenario != Scenario.IOT;
  }

  HttpRequest request(InetSocketAddress address, Range range) {
    Scenario scenario = range.scenario();
    String path =
        switch (this) {
          case SCAN ->
              "/v1/query?type=%s&from=%s&to=%s&stats=%s%s"
                  .formatted(
                      scenario.type,
                      time(range.fromNanos()),
                      time(range.untilNanos()),
                      scenario.isLog() ? "count" : "p99(" + number(scenario) + ")",
                      scenario.isLog()
                          ? "&where=" + HttpText.encoded("body ~ \"[aeiou]{3}[0-9]+[xyz]\"")
                          : "&by=hostname");
          case LOGQL ->
              "/loki/api/v1/query?time=%d&query=%s"
                  .formatted(range.untilNanos(), HttpText.encoded(logql(range)));
          case READ -> "/api/v1/read";
        };
    HttpRequest.Builder request = HttpRequest.newBuilder(HttpText.uri(address, path));
    return this != READ
        ? request.build()
        : request
            .header("content-type", "application/x-protobuf")
            .header("content-encoding", "snappy")
            .POST(BodyPublishers.ofByteArray(read(range)))
            .build();
  }

  private static String time(long nanos) {
    return Instant.ofEpochSecond(0, nanos).toString();
  }

  private static String number(Scenario scenario) {
    return scenario == Scenario.COUNTER ? "value" : "usage_user";
  }

  private static String logql(Range range) {
    long seconds = Math.ceilDiv(range.untilNanos() - range.fromNanos(), Quantity.SECOND);
    Scenario scenario = range.scenario();
    return scenario.isLog()
        ? ("sum(sum_over_time({service_name=\"%s\"} | regexp `(?P<digits>[0-9]+)$`"
                + " | unwrap digits [%ds]))")
            .formatted(scenario.type, seconds)
        : "sum by (region) (sum_over_time({service_name=\"%s\"} | unwrap %s [%ds]))"
            .formatted(scenario.type, number(scenario), seconds);
  }

  /// A `prometheus.ReadRequest` in a block of snappy: one query, one matcher of the name.
  private static byte[] read(Range range) {
    ByteArrayOutputStream matcher = new ByteArrayOutputStream();
    put(matcher, 2, "__name__".getBytes(StandardCharsets.UTF_8));
    put(matcher, 3, range.scenario().type.getBytes(StandardCharsets.UTF_8));
    ByteArrayOutputStream query = new ByteArrayOutputStream();
    put(query, 1, range.fromNanos() / Quantity.MILLI);
    put(query, 2, range.untilNanos() / Quantity.MILLI);
    put(query, 3, matcher.toByteArray());
    ByteArrayOutputStream request = new ByteArrayOutputStream();
    put(request, 1, query.toByteArray());
    return SnappyBlock.compress(request.toByteArray(), new int[0], new int[0]).bytes();
  }

  private static void put(ByteArrayOutputStream out, int field, byte[] content) {
    varint(out, ((long) field << 3) | BYTES);
    varint(out, content.length);
    out.writeBytes(content);
  }

  private static void put(ByteArrayOutputStream out, int field, long number) {
    varint(out, ((long) field << 3) | VARINT);
    varint(out, number);
  }

  private static void varint(ByteArrayOutputStream out, long number) {
    long rest = number;
    while (rest >= 0x80) {
      out.write((int) ((rest & 0x7f) | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }
}
