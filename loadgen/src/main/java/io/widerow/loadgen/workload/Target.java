package io.widerow.loadgen.workload;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// The system under test and the format that it receives.
public enum Target {
  WIDEROW_TEXT("widerow-text", Way.HTTP, Content.ANY),
  WIDEROW_JSON("widerow-json", Way.HTTP, Content.ANY),
  WIDEROW_LINES("widerow-lines", Way.HTTP, Content.ANY),
  OTLP("otlp", Way.HTTP, Content.LOGS),
  OTLP_JSON("otlp-json", Way.HTTP, Content.LOGS),
  OTLP_GRPC("otlp-grpc", Way.GRPC, Content.LOGS),
  LOKI("loki", Way.HTTP, Content.LOGS),
  LOKI_JSON("loki-json", Way.HTTP, Content.LOGS),
  BULK("bulk", Way.HTTP, Content.LOGS),
  HEC("hec", Way.HTTP, Content.LOGS),
  DATADOG("datadog", Way.HTTP, Content.LOGS),
  GELF("gelf", Way.HTTP, Content.LOGS),
  JOURNAL("journal", Way.HTTP, Content.LOGS),
  FLUENT("fluent", Way.FORWARD, Content.LOGS),
  OTLP_METRICS("otlp-metrics", Way.HTTP, Content.SAMPLES),
  PRW("prw", Way.HTTP, Content.SAMPLES),
  INFLUX3("influx3", Way.HTTP, Content.ANY),
  STATSD("statsd", Way.STREAM, Content.SAMPLES),
  STATSD_UDP("statsd-udp", Way.DATAGRAMS, Content.SAMPLES),
  GRAPHITE("graphite", Way.STREAM, Content.SAMPLES),
  SYSLOG("syslog", Way.STREAM, Content.ANY),
  SYSLOG_UDP("syslog-udp", Way.DATAGRAMS, Content.ANY),
  CASSANDRA("cassandra", Way.DRIVER, Content.ANY),
  NULL("null", Way.HTTP, Content.ANY);

  /// How batches travel.
  public enum Way {
    /// A request of HTTP/1.1, and its response.
    HTTP,
    /// A unary call of gRPC over HTTP/2 without TLS, and its response.
    GRPC,
    /// Fluent Forward over TCP, with acknowledgements.
    FORWARD,
    /// TCP without responses.
    STREAM,
    /// UDP.
    DATAGRAMS,
    /// A peer's own driver.
    DRIVER
  }

  /// Which events the format can carry.
  private enum Content {
    ANY,
    LOGS,
    SAMPLES
  }

  public final String label;
  public final Way way;
  private final Content content;

  Target(String label, Way way, Content content) {
    this.label = label;
    this.way = way;
    this.content = content;
  }

  /// The target of this name, in any case.
  ///
  /// @throws IllegalArgumentException with the known names
  public static Target of(String name) {
    return find(name)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "there is no target '%s'; there are %s".formatted(name, names(_ -> true))));
  }

  /// A protocol of Widerow's daemon.
  ///
  /// @throws IllegalArgumentException with the known names
  public static Target protocol(String name) {
    return find(name)
        .filter(Target::isDaemons)
        .orElseThrow(() ->
            new IllegalArgumentException(
                "'%s' is no protocol of Widerow; there are %s"
                    .formatted(name, names(Target::isDaemons))));
  }

  private static Optional<Target> find(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    return Arrays.stream(values()).filter(target -> target.label.equals(lower)).findFirst();
  }

  private static String names(Predicate<Target> some) {
    return Arrays.stream(values())
        .filter(some)
        .map(target -> target.label)
        .collect(Collectors.joining(", "));
  }

  /// True when the target acknowledges batches.
  public boolean acknowledges() {
    return way != Way.STREAM && way != Way.DATAGRAMS;
  }

  /// True when it is a format of Widerow's daemon.
  public boolean isDaemons() {
    return this != CASSANDRA && this != NULL;
  }

  /// True when its address also serves Widerow's queries.
  public boolean isWiderow() {
    return isDaemons() && portKey() == null;
  }

  /// The daemon's configuration key for the port that listens for it; null for HTTP's.
  public @Nullable String portKey() {
    return switch (this) {
      case SYSLOG, SYSLOG_UDP -> "syslog";
      case STATSD, STATSD_UDP -> "statsd";
      case GRAPHITE -> "graphite";
      case FLUENT -> "fluent";
      default -> null;
    };
  }

  /// The type that the daemon gives to all events of the protocol; null where the sender's type
  /// stays. These protocols carry it as the program's name, the attribute `app`.
  public @Nullable String storedType() {
    return switch (this) {
      case SYSLOG, SYSLOG_UDP -> "syslog";
      case JOURNAL -> "journal";
      case GELF -> "gelf";
      default -> null;
    };
  }

  /// Whether it sends the scenario's events.
  public boolean carries(Scenario scenario) {
    if (scenario == Scenario.FIELDS) {
      return keepsAttributes() && !isSamples();
    }
    return switch (content) {
      case ANY -> true;
      case LOGS -> scenario.isLog();
      case SAMPLES -> scenario == Scenario.COUNTER;
    };
  }

  /// The most events that a request may have.
  public int batchEventsMax() {
    return this == GELF ? 1 : Workload.BATCH_EVENTS_MAX;
  }

  /// True when attributes come back with the names and kinds that were sent.
  public boolean keepsAttributes() {
    return this == WIDEROW_JSON || this == WIDEROW_LINES || this == INFLUX3 || isSamples();
  }

  /// True when it carries samples of metrics alone.
  public boolean isSamples() {
    return content == Content.SAMPLES;
  }

  /// The resolution of its events' times, nanoseconds.
  public long resolutionNanos(Scenario scenario) {
    return switch (this) {
      case WIDEROW_TEXT, NULL -> scenario.textTime.resolutionNanos;
      case SYSLOG, SYSLOG_UDP -> Stamp.RFC3339_MICROS.resolutionNanos;
      case DATADOG, PRW -> Stamp.EPOCH_MILLIS.resolutionNanos;
      case JOURNAL -> Stamp.EPOCH_MICROS.resolutionNanos;
      case STATSD, STATSD_UDP -> Stamp.EPOCH_SECONDS.resolutionNanos;
      default -> 1;
    };
  }

  /// @throws IllegalArgumentException when it cannot send the workload's events
  public void requireCarries(Workload workload) {
    if (!carries(workload.scenario())) {
      throw new IllegalArgumentException(
          "%s sends %s, not --scenario %s"
              .formatted(
                  label,
                  isSamples()
                      ? "samples (--scenario counter)"
                      : content == Content.ANY ? "text without fields" : "lines (access, broker)",
                  workload.scenario().name().toLowerCase(Locale.ROOT)));
    }
    if (workload.batchEvents() > batchEventsMax()) {
      throw new IllegalArgumentException(
          "%s has %d event a request: --batch %d, not %d"
              .formatted(label, batchEventsMax(), batchEventsMax(), workload.batchEvents()));
    }
  }

  @Override
  public String toString() {
    return label;
  }
}
