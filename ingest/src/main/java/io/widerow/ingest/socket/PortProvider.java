package io.widerow.ingest.socket;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.FixedLimits;
import io.widerow.ingest.config.TokenFile;
import io.widerow.ingest.intake.Intake;
import io.widerow.query.QueryMemory;
import io.widerow.storage.Durability;
import io.widerow.storage.EventStore;
import java.net.InetSocketAddress;
import org.jspecify.annotations.Nullable;

/// Listens with the protocol of another module. `ServiceLoader` finds it when an address is
/// configured; without one the daemon loads no class of that module.
public interface PortProvider {
  /// The protocol of Cassandra's drivers.
  String CQL = "cql";

  /// Name of the protocol, and the key of its address.
  String name();

  /// Starts to listen.
  ///
  /// @param memory that all queries of the daemon share
  /// @param registry of the daemon's metrics
  Port listen(
      InetSocketAddress address,
      Terms terms,
      EventStore store,
      Intake intake,
      QueryMemory memory,
      MeterRegistry registry);

  /// The terms on which clients are served.
  ///
  /// @param tls of connections; null for none
  /// @param tokens of clients; null when they need none
  /// @param limits of the resources that clients may use
  /// @param durability of events before they are acknowledged
  record Terms(
      @Nullable StreamTls tls,
      @Nullable TokenFile tokens,
      FixedLimits limits,
      Durability durability) {}

  /// A port that listens.
  ///
  /// - Order: [#stop] while the store is open, then [#close].
  interface Port extends AutoCloseable {
    /// Where it listens, with the real port.
    InetSocketAddress address();

    /// Ends all connections, and what runs for them.
    void stop();

    /// Ends the threads.
    @Override
    void close();
  }
}
