package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.URLEncoder;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Address of a target, and the bytes that precede a batch on the wire.
///
/// @param durability requested of the target; null leaves it to the target
/// @param path of the request; null for the target's default
/// @param patienceNanos how long a batch whose answer was lost is retried; 0 for never
public record Endpoint(
    Target target,
    String host,
    int port,
    @Nullable String durability,
    @Nullable String path,
    long patienceNanos) {
  public Endpoint {
    if (port < 1 || port > 65_535) {
      throw new IllegalArgumentException("a port is 1 to 65535, got " + port);
    }
  }

  public Endpoint(
      Target target, String host, int port, @Nullable String durability, @Nullable String path) {
    this(target, host, port, durability, path, 0);
  }

  public Endpoint withPatience(long nanos) {
    return new Endpoint(target, host, port, durability, path, nanos);
  }

  /// @param address `HOST:PORT`, with or without `http://` in front
  public static Endpoint of(
      Target target, String address, @Nullable String durability, @Nullable String path) {
    String bare = address.startsWith("http://") ? address.substring(7) : address;
    int colon = bare.lastIndexOf(':');
    try {
      return new Endpoint(
          target,
          bare.substring(0, colon),
          Integer.parseInt(bare.substring(colon + 1)),
          durability,
          path);
    } catch (IndexOutOfBoundsException | NumberFormatException _) {
      throw new IllegalArgumentException("--url must be HOST:PORT, got '" + address + "'");
    }
  }

  public Connection connect() throws IOException {
    if (patienceNanos > 0) {
      return new RetryingConnection(withPatience(0), patienceNanos);
    }
    InetSocketAddress address = new InetSocketAddress(host, port);
    if (address.isUnresolved()) {
      throw new IOException("no such host: " + host);
    }
    return switch (target) {
      case SYSLOG -> new SyslogConnection(address);
      case SYSLOG_UDP -> new SyslogDatagrams(address);
      case CASSANDRA -> PeerDriver.of(target.label).connect(address);
      case WIDEROW_TEXT, WIDEROW_JSON, WIDEROW_LINES, NULL -> new HttpConnection(address);
    };
  }

  /// The request up to the body. Empty where the protocol has none; the event type where a driver
  /// makes the requests.
  public ByteBuffer head(PreparedBatch batch, Scenario scenario) {
    if (target == Target.CASSANDRA) {
      return ByteBuffer.wrap(batch.type().getBytes(StandardCharsets.UTF_8));
    }
    if (target.isSyslog()) {
      return ByteBuffer.allocateDirect(0);
    }
    String head =
        "POST %s HTTP/1.1\r\nHost: %s:%d\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n"
            .formatted(
                path != null ? path : path(batch.type(), scenario),
                host,
                port,
                target == Target.WIDEROW_JSON ? "application/x-ndjson" : "text/plain",
                batch.bytes().capacity());
    byte[] bytes = head.getBytes(StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
  }

  private String path(String type, Scenario scenario) {
    String level = durability == null ? "" : "&durability=" + durability;
    return switch (target) {
      case WIDEROW_TEXT, NULL ->
          "/v1/events?type="
              + URLEncoder.encode(type, StandardCharsets.UTF_8)
              + "&ts="
              + scenario.timePattern
              + level;
      case WIDEROW_JSON -> "/v1/events?type=json" + level;
      case WIDEROW_LINES -> "/api/v2/write?precision=ns" + level;
      case SYSLOG, SYSLOG_UDP, CASSANDRA ->
          throw new IllegalStateException(target + " has no paths");
    };
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
