package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.concurrent.TimeUnit.NANOSECONDS;
import static java.util.concurrent.TimeUnit.SECONDS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.micrometer.core.instrument.Clock;
import io.micrometer.core.instrument.Counter;
import io.micrometer.registry.otlp.OtlpConfig;
import io.micrometer.registry.otlp.OtlpMeterRegistry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.logs.Logger;
import io.opentelemetry.api.logs.Severity;
import io.opentelemetry.api.metrics.DoubleHistogram;
import io.opentelemetry.api.metrics.LongCounter;
import io.opentelemetry.api.metrics.Meter;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.exporter.otlp.http.logs.OtlpHttpLogRecordExporter;
import io.opentelemetry.exporter.otlp.http.metrics.OtlpHttpMetricExporter;
import io.opentelemetry.exporter.otlp.http.trace.OtlpHttpSpanExporter;
import io.opentelemetry.exporter.otlp.logs.OtlpGrpcLogRecordExporter;
import io.opentelemetry.exporter.otlp.metrics.OtlpGrpcMetricExporter;
import io.opentelemetry.exporter.otlp.trace.OtlpGrpcSpanExporter;
import io.opentelemetry.sdk.common.export.RetryPolicy;
import io.opentelemetry.sdk.logs.SdkLoggerProvider;
import io.opentelemetry.sdk.logs.export.BatchLogRecordProcessor;
import io.opentelemetry.sdk.logs.export.LogRecordExporter;
import io.opentelemetry.sdk.metrics.SdkMeterProvider;
import io.opentelemetry.sdk.metrics.export.MetricExporter;
import io.opentelemetry.sdk.metrics.export.PeriodicMetricReader;
import io.opentelemetry.sdk.resources.Resource;
import io.opentelemetry.sdk.trace.SdkTracerProvider;
import io.opentelemetry.sdk.trace.export.BatchSpanProcessor;
import io.opentelemetry.sdk.trace.export.SpanExporter;
import io.widerow.faults.ServeProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URLEncoder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what OpenTelemetry's Java SDK and Micrometer send is stored once, with its fields, also
/// when answers are lost and the daemon is killed. Method: the libraries themselves, through a
/// proxy that loses answers, to a daemon as a process.
@Timeout(300)
@Tag("process")
class OtlpClientsTest {
  private static final JsonMapper JSON = JsonMapper.builder().build();

  private static final int RECORDS = 40;
  private static final long TIME = 1_763_665_200_000_000_000L;
  private static final AttributeKey<Long> NUMBER = AttributeKey.longKey("n");
  private static final AttributeKey<List<String>> LIST = AttributeKey.stringArrayKey("list");
  private static final Resource RESOURCE =
      Resource.create(
          Attributes.of(
              AttributeKey.stringKey("service.name"), "shop", AttributeKey.longKey("pid"), 7L));

  @TempDir private Path directory = Path.of(".");
  private @Nullable ServeProcess daemon;
  private @Nullable LossyProxy proxy;

  @AfterEach
  void end() throws IOException, InterruptedException {
    if (proxy != null) {
      proxy.close();
    }
    if (daemon != null) {
      daemon.kill();
    }
  }

  private ServeProcess start() throws IOException {
    ServeProcess started = ServeProcess.start(directory.resolve("d"), "--set", "lanes=1");
    daemon = started;
    return started;
  }

  /// Kills the daemon and starts it again, on another port.
  private void restart() {
    try {
      ServeProcess before = java.util.Objects.requireNonNull(daemon);
      LossyProxy through = java.util.Objects.requireNonNull(proxy);
      through.toNothing();
      before.kill();
      through.toPort(start().port());
    } catch (IOException failed) {
      throw new UncheckedIOException(failed);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException(stopped);
    }
  }

  private static RetryPolicy retries() {
    return RetryPolicy.builder()
        .setMaxAttempts(5)
        .setInitialBackoff(Duration.ofMillis(100))
        .setMaxBackoff(Duration.ofSeconds(1))
        .build();
  }

  /// The exporters of the three signals.
  private record Exporters(LogRecordExporter logs, MetricExporter metrics, SpanExporter spans) {
    static Exporters http(String url) {
      Duration patience = Duration.ofSeconds(60);
      return new Exporters(
          OtlpHttpLogRecordExporter.builder()
              .setEndpoint(url + "/v1/logs")
              .setCompression("gzip")
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build(),
          OtlpHttpMetricExporter.builder()
              .setEndpoint(url + "/v1/metrics")
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build(),
          OtlpHttpSpanExporter.builder()
              .setEndpoint(url + "/v1/traces")
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build());
    }

    static Exporters grpc(String url) {
      Duration patience = Duration.ofSeconds(60);
      return new Exporters(
          OtlpGrpcLogRecordExporter.builder()
              .setEndpoint(url)
              .setCompression("gzip")
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build(),
          OtlpGrpcMetricExporter.builder()
              .setEndpoint(url)
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build(),
          OtlpGrpcSpanExporter.builder()
              .setEndpoint(url)
              .setTimeout(patience)
              .setRetryPolicy(retries())
              .build());
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "grpc"})
  void javaSdk(String protocol) throws IOException, InterruptedException {
    LossyProxy through = new LossyProxy(200);
    proxy = through;
    through.toPort(start().port());
    String url = "http://127.0.0.1:" + through.port();
    Exporters exporters = protocol.equals("http") ? Exporters.http(url) : Exporters.grpc(url);
    String trace;
    try (SdkLoggerProvider logs =
            SdkLoggerProvider.builder()
                .setResource(RESOURCE)
                .addLogRecordProcessor(
                    BatchLogRecordProcessor.builder(exporters.logs())
                        .setScheduleDelay(Duration.ofHours(1))
                        .setExporterTimeout(Duration.ofMinutes(2))
                        .build())
                .build();
        SdkTracerProvider spans =
            SdkTracerProvider.builder()
                .setResource(RESOURCE)
                .addSpanProcessor(
                    BatchSpanProcessor.builder(exporters.spans())
                        .setScheduleDelay(Duration.ofHours(1))
                        .setExporterTimeout(Duration.ofMinutes(2))
                        .build())
                .build();
        SdkMeterProvider metrics =
            SdkMeterProvider.builder()
                .setResource(RESOURCE)
                .registerMetricReader(
                    PeriodicMetricReader.builder(exporters.metrics())
                        .setInterval(Duration.ofHours(1))
                        .build())
                .build()) {
      trace = traced(spans.get("lib"), logs.get("lib"));
      assertTrue(spans.forceFlush().join(60, SECONDS).isSuccess());
      assertTrue(logs.forceFlush().join(60, SECONDS).isSuccess());

      logRecords(logs.get("lib"), 0);
      through.loseNext(() -> {});
      flush(logs, through, 1);
      logRecords(logs.get("lib"), RECORDS);
      through.loseNext(this::restart);
      flush(logs, through, 2);

      measure(metrics.get("meters"));
      through.loseNext(() -> {});
      assertTrue(metrics.forceFlush().join(60, SECONDS).isSuccess());
      assertEquals(3, through.lost());
      assertMetrics();
    }
    assertLogs();
    assertTrace(trace);
  }

  /// Flushes until an answer was lost: a flush right after another one may be taken for that one.
  private static void flush(SdkLoggerProvider logs, LossyProxy through, int lost) {
    do {
      assertTrue(logs.forceFlush().join(90, SECONDS).isSuccess());
    } while (through.lost() < lost);
    assertEquals(lost, through.lost());
  }

  private static void logRecords(Logger logger, int first) {
    for (int i = first; i < first + RECORDS; i++) {
      logger
          .logRecordBuilder()
          .setTimestamp(TIME + i * 1_000_003L, NANOSECONDS)
          .setSeverity(Severity.ERROR2)
          .setSeverityText("ERR")
          .setBody("order " + i)
          .setAttribute(NUMBER, (long) i)
          .setAttribute(LIST, List.of("a", "b"))
          .emit();
    }
  }

  /// A span with a span and two records in it, in the time of others.
  private static String traced(Tracer tracer, Logger logger) {
    Span outer =
        tracer
            .spanBuilder("GET /order")
            .setSpanKind(SpanKind.SERVER)
            .setStartTimestamp(TIME + 1, NANOSECONDS)
            .startSpan();
    Context context = Context.root().with(outer);
    logger
        .logRecordBuilder()
        .setTimestamp(TIME + 2, NANOSECONDS)
        .setBody("asked")
        .setContext(context)
        .emit();
    Span inner =
        tracer
            .spanBuilder("SELECT")
            .setParent(context)
            .setStartTimestamp(TIME + 3, NANOSECONDS)
            .startSpan();
    logger
        .logRecordBuilder()
        .setTimestamp(TIME + 4, NANOSECONDS)
        .setBody("answered")
        .setContext(Context.root().with(inner))
        .emit();
    inner.addEvent("row", Attributes.of(NUMBER, 5L), TIME + 5, NANOSECONDS);
    inner.setStatus(StatusCode.ERROR, "no such order");
    inner.end(TIME + 6, NANOSECONDS);
    outer.end(TIME + 1_000, NANOSECONDS);
    return outer.getSpanContext().getTraceId();
  }

  private static void measure(Meter meter) {
    LongCounter counter = meter.counterBuilder("hits").setUnit("1").build();
    for (int i = 0; i < 20; i++) {
      counter.add(i + 1, Attributes.of(NUMBER, (long) i));
    }
    DoubleHistogram histogram =
        meter
            .histogramBuilder("latency")
            .setUnit("ms")
            .setExplicitBucketBoundariesAdvice(List.of(1.0, 10.0))
            .build();
    histogram.record(0.5);
    histogram.record(5);
    histogram.record(50);
    meter.gaugeBuilder("heat").build().set(21.5);
  }

  private List<JsonNode> stored(String query) throws IOException, InterruptedException {
    ServeProcess asked = java.util.Objects.requireNonNull(daemon);
    return asked
        .get("/v1/query?" + query)
        .body()
        .lines()
        .filter(line -> line.startsWith("{\"id\""))
        .map(OtlpClientsTest::parse)
        .toList();
  }

  private static JsonNode parse(String line) {
    try {
      return JSON.readTree(line);
    } catch (JsonProcessingException bad) {
      throw new UncheckedIOException(bad);
    }
  }

  private void assertLogs() throws IOException, InterruptedException {
    List<JsonNode> stored = stored("type=shop&where=" + URLEncoder.encode("n >= 0", UTF_8));
    assertEquals(2 * RECORDS, stored.size(), "lost 0, twice 0");
    for (int i = 0; i < stored.size(); i++) {
      JsonNode event = stored.get(i);
      assertEquals(i, event.get("n").asInt());
      assertEquals("order " + i, event.get("body").asText());
      assertEquals("error", event.get("level").asText());
      assertEquals("ERR", event.get("severity_text").asText());
      assertEquals(18, event.get("severity_number").asInt());
      assertEquals("[\"a\",\"b\"]", event.get("list").asText());
      assertEquals("shop", event.get("service.name").asText());
      assertEquals(7, event.get("pid").asInt());
      assertEquals("lib", event.get("scope.name").asText());
      String nanos = "%09d".formatted(i * 1_000_003L);
      assertEquals("2025-11-20T19:00:00." + nanos + "Z", event.get("ts").asText());
    }
  }

  /// Logs and spans of one trace come back in one order.
  private void assertTrace(String trace) throws IOException, InterruptedException {
    String where = URLEncoder.encode("trace_id = \"" + trace + "\"", UTF_8);
    List<JsonNode> stored = stored("where=" + where);
    assertEquals(
        List.of("GET /order", "asked", "SELECT", "answered"),
        stored.stream().map(event -> event.get("body").asText()).toList());
    assertEquals(
        List.of("shop.spans", "shop", "shop.spans", "shop"),
        stored.stream().map(event -> event.get("type").asText()).toList());
    JsonNode outer = stored.get(0);
    JsonNode inner = stored.get(2);
    assertEquals("server", outer.get("kind").asText());
    assertEquals(999, outer.get("duration").asLong());
    assertEquals(outer.get("span_id"), inner.get("parent_span_id"));
    assertEquals(inner.get("span_id"), stored.get(3).get("span_id"));
    assertEquals(2, inner.get("status_code").asInt());
    assertEquals("no such order", inner.get("status_message").asText());
    assertEquals(
        "[{\"time_unix_nano\":%d,\"name\":\"row\",\"attributes\":{\"n\":5}}]".formatted(TIME + 5),
        inner.get("events").asText());
  }

  private void assertMetrics() throws IOException, InterruptedException {
    List<JsonNode> hits = stored("type=hits");
    assertEquals(20, hits.size(), "lost 0, twice 0");
    Map<Integer, Integer> values = new TreeMap<>();
    for (JsonNode hit : hits) {
      values.put(hit.get("n").asInt(), hit.get("value").asInt());
      assertEquals("cumulative", hit.get("temporality").asText());
      assertTrue(hit.get("monotonic").asBoolean());
      assertEquals("1", hit.get("unit").asText());
      assertEquals("meters", hit.get("scope.name").asText());
    }
    assertEquals(20, values.size());
    values.forEach((number, value) -> assertEquals(number + 1, value));
    JsonNode latency = stored("type=latency").getFirst();
    assertEquals("[1,10]", latency.get("bounds").asText());
    assertEquals("[1,1,1]", latency.get("buckets").asText());
    assertEquals(3, latency.get("count").asInt());
    assertEquals(55.5, latency.get("sum").asDouble());
    assertEquals(0.5, latency.get("min").asDouble());
    assertEquals(50, latency.get("max").asDouble());
    assertEquals(21.5, stored("type=heat").getFirst().get("value").asDouble());
  }

  @Test
  void micrometer() throws IOException, InterruptedException {
    ServeProcess started = start();
    OtlpConfig config =
        new OtlpConfig() {
          @Override
          public @Nullable String get(String key) {
            return null;
          }

          @Override
          public String url() {
            return "http://127.0.0.1:" + started.port() + "/v1/metrics";
          }

          @Override
          public Map<String, String> resourceAttributes() {
            return Map.of("service.name", "till");
          }
        };
    OtlpMeterRegistry registry = new OtlpMeterRegistry(config, Clock.SYSTEM);
    for (int i = 0; i < 20; i++) {
      Counter.builder("sold").tag("n", "" + i).register(registry).increment(i + 0.5);
    }
    registry.timer("wait").record(Duration.ofMillis(250));
    registry.close(); // publishes
    List<JsonNode> sold = stored("type=sold");
    assertEquals(20, sold.size());
    Set<String> seen =
        sold.stream()
            .map(event -> event.get("n").asText() + "=" + event.get("value").asDouble())
            .collect(Collectors.toSet());
    assertEquals(20, seen.size());
    assertTrue(seen.contains("7=7.5"), seen.toString());
    assertEquals("till", sold.getFirst().get("service.name").asText());
    JsonNode wait = stored("type=wait").getFirst();
    assertEquals(1, wait.get("count").asInt());
    assertEquals(250.0, wait.get("sum").asDouble(), 1e-9);
  }
}
