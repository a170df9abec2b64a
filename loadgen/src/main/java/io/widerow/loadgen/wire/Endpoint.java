package io.widerow.loadgen.wire;

import io.widerow.loadgen.workload.PreparedBatch;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Target;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Address of a target, and the bytes that precede a batch on the wire.
///
/// @param durability requested of the target; null leaves it to the target
/// @param path of the request; null for the target's default
/// @param patienceNanos how long a batch whose response was lost is retried; 0 for never
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
    return switch (target.way) {
      case HTTP -> new HttpConnection(address, target);
      case GRPC -> new GrpcConnection(address);
      case FORWARD -> new ForwardConnection(address);
      case STREAM -> new StreamConnection(address);
      case DATAGRAMS -> new DatagramConnection(address);
      case DRIVER -> PeerDriver.of(target.label).connect(address);
    };
  }

  /// The request up to the body. Empty where the protocol has none; the event type where a driver
  /// makes the requests.
  public ByteBuffer head(PreparedBatch batch, Scenario scenario) {
    return switch (target.way) {
      case HTTP ->
          direct(
              new HttpHead(target, durability, path)
                  .text(toString(), batch, scenario)
                  .getBytes(StandardCharsets.ISO_8859_1));
      case GRPC -> direct(GrpcConnection.head(toString(), durability));
      case FORWARD, STREAM, DATAGRAMS -> ByteBuffer.allocateDirect(0);
      case DRIVER -> ByteBuffer.wrap(batch.type().getBytes(StandardCharsets.UTF_8));
    };
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
  }

  @Override
  public String toString() {
    return host + ":" + port;
  }
}
