package io.widerow.ingest;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.widerow.ingest.config.DaemonConfig;
import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: what Node's loggers send to Loki is stored unchanged. Method: pino-loki and winston-loki
/// themselves, of the versions named here. Without npm, or where it cannot install, the test is
/// skipped and says so.
@Timeout(300)
@Tag("process")
class LokiClientsTest {
  private static final int LINES = 300;

  @TempDir private Path directory = Path.of(".");

  private final MemoryStore store = new MemoryStore(1);

  private static boolean has(String program) {
    return Arrays.stream(System.getenv("PATH").split(File.pathSeparator, -1))
        .anyMatch(folder -> Files.isExecutable(Path.of(folder, program)));
  }

  private String run(boolean required, String... command) throws IOException, InterruptedException {
    Process process =
        new ProcessBuilder(command).directory(directory.toFile()).redirectErrorStream(true).start();
    process.getOutputStream().close();
    String said = new String(process.getInputStream().readAllBytes(), UTF_8);
    int code = process.waitFor();
    if (required) {
      assertEquals(0, code, said);
    } else {
      assumeTrue(code == 0, said);
    }
    return said;
  }

  private void script(String script, String... packages) throws IOException, InterruptedException {
    assumeTrue(has("node") && has("npm"), "needs node and npm");
    String[] install = {"npm", "install", "--no-audit", "--no-fund", "--silent"};
    String[] command = Arrays.copyOf(install, install.length + packages.length);
    System.arraycopy(packages, 0, command, install.length, packages.length);
    String _ = run(false, command);
    DaemonConfig config = DaemonConfig.of(Map.of("http", "127.0.0.1:0", "lanes", "1"));
    try (Daemon daemon = Daemon.start(config, store)) {
      String url = "http://127.0.0.1:" + daemon.httpAddress().getPort();
      Files.writeString(
          directory.resolve("send.js"),
          script.replace("URL", url).replace("LINES", Integer.toString(LINES)));
      String said = run(true, "node", "send.js");
      assertEquals("", said.strip());
    }
    assertEquals(LINES, store.committed.size());
  }

  private List<MemoryStore.Stored> inOrder() {
    return store.committed.stream()
        .sorted((a, b) -> Integer.compare(number(a.body()), number(b.body())))
        .toList();
  }

  private static int number(String line) {
    return Integer.parseInt(line.replaceAll("(?s).*order (\\d+).*", "$1"));
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void winstonLoki(boolean json) throws IOException, InterruptedException {
    script(
        """
        const winston = require('winston')
        const LokiTransport = require('winston-loki')
        const loki = new LokiTransport({
          host: 'URL', json: JSON_BODY, labels: { app: 'winston' }, replaceTimestamp: false,
          format: winston.format.simple(), onConnectionError: e => console.log(e)
        })
        const logger = winston.createLogger({ level: 'info', transports: [loki] })
        for (let i = 0; i < LINES; i++) {
          logger.log({ level: i % 2 ? 'error' : 'info', message: `order ${i} "ü" \\\\ 💥`,
                       labels: { part: 'p' + i % 3 } })
        }
        setTimeout(() => loki.close().then(() => process.exit(0)), 200)
        """
            .replace("JSON_BODY", Boolean.toString(json)),
        "winston@3.19.0",
        "winston-loki@6.1.7");
    List<MemoryStore.Stored> events = inOrder();
    for (int i = 0; i < LINES; i++) {
      MemoryStore.Stored event = events.get(i);
      String level = i % 2 == 0 ? "info" : "error";
      assertEquals("winston", event.type());
      assertEquals(level, event.attributes().get("level"));
      assertEquals("winston", event.attributes().get("app"));
      assertEquals("p" + i % 3, event.attributes().get("part"));
      assertTrue(
          event.body().startsWith("%s: order %d \"ü\" \\ 💥".formatted(level, i)), event.body());
    }
  }

  @Test
  void pinoLoki() throws IOException, InterruptedException {
    script(
        """
        const pino = require('pino')
        const transport = pino.transport({
          target: 'pino-loki',
          options: { host: 'URL', batching: { interval: 1 }, labels: { app: 'pino' },
                     propsToLabels: ['part'], structuredMetaKey: 'meta' }
        })
        const logger = pino(transport)
        for (let i = 0; i < LINES; i++) {
          logger.info({ part: 'p' + i % 3, meta: { n: i, o: { a: 1 } } }, `order ${i} "ü" \\\\ 💥`)
        }
        transport.end()
        transport.on('close', () => process.exit(0))
        """,
        "pino@10.3.1", "pino-loki@3.0.0");
    List<MemoryStore.Stored> events = inOrder();
    for (int i = 0; i < LINES; i++) {
      Map<String, Object> attributes = events.get(i).attributes();
      assertEquals("pino", events.get(i).type());
      assertEquals("info", attributes.get("level"));
      assertEquals("p" + i % 3, attributes.get("part"));
      assertEquals(Integer.toString(i), attributes.get("n"));
      assertEquals("{\"a\":1}", attributes.get("o"));
      String line = "\"msg\":\"order %d \\\"ü\\\" \\\\ 💥\"".formatted(i);
      assertTrue(events.get(i).body().contains(line), events.get(i).body());
    }
  }
}
