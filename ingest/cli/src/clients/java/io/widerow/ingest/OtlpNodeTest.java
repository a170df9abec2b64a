package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what OpenTelemetry's exporters for Node send is stored with all of its fields: JSON and
/// protobuf over HTTP, and gRPC. Method: the exporters, installed by npm, whose output the test
/// does not trust: it counts the events. Without npm or a registry it is skipped.
@Timeout(300)
@Tag("process")
class OtlpNodeTest {
  private static final int RECORDS = 200;
  private static final String SCRIPT =
      """
      const { LoggerProvider, BatchLogRecordProcessor } = require('@opentelemetry/sdk-logs');
      const { resourceFromAttributes } = require('@opentelemetry/resources');
      const [form, url, count] = process.argv.slice(2);
      const { OTLPLogExporter } = require('@opentelemetry/exporter-logs-otlp-' + form);
      const exporter = new OTLPLogExporter({ url });
      const provider = new LoggerProvider({
        resource: resourceFromAttributes({ 'service.name': 'node-' + form, pid: 7 }),
        processors: [new BatchLogRecordProcessor({ exporter, maxExportBatchSize: 64 })],
      });
      const logger = provider.getLogger('lib', '1.2');
      for (let i = 0; i < Number(count); i++) {
        logger.emit({
          timestamp: [1763665200, i * 1000003],
          severityNumber: 17,
          severityText: 'ERR',
          body: 'order ' + i,
          attributes: { n: i, ratio: i + 0.5, ok: true, list: ['a', 1], text: 'é€😀"' },
        });
      }
      provider.forceFlush().then(() => provider.shutdown());
      """;

  @TempDir private Path directory = Path.of(".");
  private @Nullable Daemon running;
  private @Nullable AutoCloseable store;

  @BeforeEach
  void start() {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of("data", directory.resolve("d").toString(), "http", "127.0.0.1:0", "lanes", "2"));
    io.widerow.storage.EventStore opened = LocalStore.open(config);
    store = opened;
    running = Daemon.start(config, opened);
  }

  @AfterEach
  void end() throws Exception {
    Objects.requireNonNull(running).close();
    Objects.requireNonNull(store).close();
  }

  private int run(List<String> command) throws IOException, InterruptedException {
    return new ProcessBuilder(command)
        .directory(directory.toFile())
        .redirectErrorStream(true)
        .redirectOutput(directory.resolve("out.txt").toFile())
        .start()
        .waitFor();
  }

  private void install(String form) throws InterruptedException {
    int code;
    try {
      code =
          run(
              List.of(
                  "npm",
                  "install",
                  "--no-audit",
                  "--no-fund",
                  "--ignore-scripts",
                  "@opentelemetry/exporter-logs-otlp-" + form + "@0.301.0",
                  "@opentelemetry/sdk-logs@3.1.0",
                  "@opentelemetry/api@1.10.0"));
    } catch (IOException noNpm) {
      code = -1;
    }
    assumeTrue(code == 0, "needs npm, and a registry that has the exporters");
  }

  @ParameterizedTest
  @ValueSource(strings = {"http", "proto", "grpc"})
  void logs(String form) throws IOException, InterruptedException {
    install(form);
    Files.writeString(directory.resolve("send.js"), SCRIPT);
    Daemon daemon = Objects.requireNonNull(running);
    String url = "http://127.0.0.1:" + daemon.httpAddress().getPort();
    String endpoint = form.equals("grpc") ? url : url + "/v1/logs";
    int code = run(List.of("node", "send.js", form, endpoint, "" + RECORDS));
    assertEquals(0, code, Files.readString(directory.resolve("out.txt"), StandardCharsets.UTF_8));
    List<String> stored;
    try (Http http = new Http(daemon)) {
      stored =
          http.get("/v1/query?type=node-" + form)
              .body()
              .lines()
              .filter(line -> line.startsWith("{\"id\""))
              .toList();
    }
    assertEquals(RECORDS, stored.size());
    for (int i = 0; i < RECORDS; i++) {
      String event =
          stored.get(i).replaceAll("\"(id|observed)\":(\"[^\"]*\"|\\d+),", "").substring(1);
      String ts = "\"ts\":\"2025-11-20T19:00:00.%09dZ\"".formatted(i * 1_000_003);
      assertTrue(event.startsWith(ts), event);
      assertEquals(
          ",\"type\":\"node-%s\",\"body\":\"order %d\",\"level\":\"error\",".formatted(form, i)
              + "\"list\":\"[\\\"a\\\",1]\",\"n\":%d,\"ok\":true,\"pid\":7,".formatted(i)
              + "\"ratio\":%d.5,".formatted(i)
              + "\"scope.name\":\"lib\",\"scope.version\":\"1.2\",\"service.name\":\"node-%s\","
                  .formatted(form)
              + "\"severity_number\":17,\"severity_text\":\"ERR\",\"text\":\"é€😀\\\"\"}",
          event.substring(ts.length()));
    }
  }
}
