package io.widerow.cql.server;

import static org.junit.jupiter.api.Assertions.assertEquals;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.CqlSessionBuilder;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.ingest.Http;
import io.widerow.ingest.OperatedDaemon;
import io.widerow.ingest.socket.PortProvider;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;

/// For tests: a daemon with a store on disk that is asked by CQL.
final class CqlDaemon extends OperatedDaemon {
  /// @param keys of the configuration in addition to its addresses
  CqlDaemon(Path directory, Map<String, String> keys) {
    super(directory, withPort(keys));
  }

  private static Map<String, String> withPort(Map<String, String> keys) {
    Map<String, String> all = new HashMap<>(keys);
    all.put("cql", "127.0.0.1:0");
    all.put("lanes", "1");
    return all;
  }

  /// Bytes that requests hold now.
  long creditBytesUsed() throws IOException, InterruptedException {
    String name = "widerow_credit_used_bytes ";
    return http.get("/metrics")
        .body()
        .lines()
        .filter(line -> line.startsWith(name))
        .mapToLong(line -> (long) Double.parseDouble(line.substring(name.length())))
        .sum();
  }

  InetSocketAddress address() {
    return Objects.requireNonNull(daemon.socketAddress(PortProvider.CQL));
  }

  /// A driver whose pages have 100 rows. After a change of the schema it reads it at once, not
  /// within a second.
  ///
  /// @param version such as `V5`
  /// @param compression `lz4` or `none`
  CqlSessionBuilder driver(String version, String compression) {
    return CqlSession.builder()
        .addContactPoint(address())
        .withLocalDatacenter("datacenter1")
        .withConfigLoader(
            DriverConfigLoader.programmaticBuilder()
                .withString(DefaultDriverOption.PROTOCOL_VERSION, version)
                .withString(DefaultDriverOption.PROTOCOL_COMPRESSION, compression)
                .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, 100)
                .withInt(DefaultDriverOption.NETTY_IO_SIZE, 1)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SIZE, 1)
                .withInt(DefaultDriverOption.NETTY_IO_SHUTDOWN_QUIET_PERIOD, 0)
                .withInt(DefaultDriverOption.NETTY_ADMIN_SHUTDOWN_QUIET_PERIOD, 0)
                .withDuration(DefaultDriverOption.METADATA_SCHEMA_WINDOW, Duration.ofMillis(1))
                .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(30))
                .withDuration(
                    DefaultDriverOption.CONTROL_CONNECTION_TIMEOUT, Duration.ofSeconds(30))
                .withDuration(
                    DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(30))
                .build());
  }

  /// A session for many statements that change the schema: it does not read it after each of them.
  CqlSession session() {
    CqlSession session = driver("V5", "none").build();
    var _ = session.setSchemaMetadataEnabled(false);
    return session;
  }

  /// The first row of an answer.
  static Row first(CqlSession session, String statement) {
    return Objects.requireNonNull(session.execute(statement).one());
  }

  /// Sends events as JSON lines.
  void take(String lines) throws IOException, InterruptedException {
    HttpResponse<String> answer = http.post("/v1/events", Http.NDJSON, lines);
    assertEquals(200, answer.statusCode(), answer.body());
  }
}
