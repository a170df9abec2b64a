package io.widerow.ingest;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.TlsFiles;
import io.widerow.ingest.http.Access;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.receive.fluent.FluentProtocol;
import io.widerow.ingest.receive.gelf.GelfProtocol;
import io.widerow.ingest.receive.graphite.GraphiteProtocol;
import io.widerow.ingest.receive.statsd.StatsdProtocol;
import io.widerow.ingest.receive.syslog.SyslogProtocol;
import io.widerow.ingest.socket.PortProvider;
import io.widerow.ingest.socket.SocketProtocol;
import io.widerow.ingest.socket.SocketReceiver;
import io.widerow.ingest.socket.StreamTls;
import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import java.net.InetSocketAddress;
import java.util.List;
import java.util.ServiceLoader;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/// The receivers of all protocols with sockets of their own that are on, and the port of CQL.
///
/// - Threads: one starts and stops them, one calls [#renewTls], any thread the other methods.
final class SocketListeners implements AutoCloseable {
  private final DaemonConfig config;
  private final @Nullable StreamTls tls;
  private final Intake intake;
  private final MeterRegistry registry;
  private final EventStore store;
  private final QueryMemory memory;
  private final Access access;
  private final @Nullable StreamTls clientTls; // of those that tokens tell who they are
  private PortProvider.@Nullable Port cql; // once it listens
  private final List<SocketReceiver> receivers = new CopyOnWriteArrayList<>();

  /// @param tls files with certificates; null without TLS
  /// @param memory that all queries share
  SocketListeners(
      DaemonConfig config,
      @Nullable TlsFiles tls,
      Intake intake,
      MeterRegistry registry,
      EventStore store,
      QueryMemory memory,
      Access access) {
    this.config = config;
    this.tls = tls == null ? null : new StreamTls(tls);
    this.intake = intake;
    this.registry = registry;
    this.store = store;
    this.memory = memory;
    this.access = access;
    this.clientTls = tls == null ? null : new StreamTls(tls, false);
  }

  /// The protocols: one line each.
  private List<SocketProtocol> protocols() {
    return List.of(
        SyslogProtocol.of(config.syslogZone()),
        FluentProtocol.of(intake, config.listen().readSharedKey()),
        StatsdProtocol.protocol(),
        GraphiteProtocol.protocol(),
        GelfProtocol.protocol());
  }

  /// Starts to listen wherever an address is configured.
  ///
  /// @throws ListenException when an address cannot be had; [#stop] and [#close] end the others
  void listen() {
    int handshakeSeconds = config.limits().headerSeconds();
    SocketReceiver.Terms plain =
        new SocketReceiver.Terms(config.durability(), null, handshakeSeconds);
    SocketReceiver.Terms secret =
        new SocketReceiver.Terms(config.durability(), tls, handshakeSeconds);
    protocols().forEach(protocol -> listen(protocol, plain));
    for (SocketProtocol protocol : protocols()) { // others: connections may share a decoder
      if (protocol.streams() != null) {
        listen(protocol.overTls(), secret);
      }
    }
    listenCql();
  }

  private void listen(SocketProtocol protocol, SocketReceiver.Terms terms) {
    InetSocketAddress address = config.listen().of(protocol.name());
    if (address != null) {
      receivers.add(
          ListenException.listen(
              protocol.name(),
              address,
              () -> new SocketReceiver(protocol, address, terms, intake, registry)));
    }
  }

  private void listenCql() {
    InetSocketAddress address = config.listen().of(PortProvider.CQL);
    if (address != null) {
      PortProvider.Terms terms =
          new PortProvider.Terms(clientTls, access.tokens(), config.limits(), config.durability());
      PortProvider provider = provider(PortProvider.CQL, address);
      cql =
          ListenException.listen(
              PortProvider.CQL,
              address,
              () -> provider.listen(address, terms, store, intake, memory, registry));
    }
  }

  private static PortProvider provider(String name, InetSocketAddress address) {
    for (PortProvider each :
        ServiceLoader.load(PortProvider.class, PortProvider.class.getClassLoader())) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw ListenException.refused(
        name, address, "the jar of its module is not on the class path; add it");
  }

  /// Where a protocol listens; null when it is off.
  @Nullable InetSocketAddress address(String protocol) {
    for (SocketReceiver receiver : receivers) {
      if (receiver.protocol().name().equals(protocol)) {
        return receiver.address();
      }
    }
    PortProvider.Port port = cql;
    return port != null && protocol.equals(PortProvider.CQL) ? port.address() : null;
  }

  List<SocketReceiver> receivers() {
    return List.copyOf(receivers);
  }

  /// Uses other certificates for new connections, after their files have changed.
  void renewTls() {
    if (tls != null) {
      tls.renew();
    }
    if (clientTls != null) {
      clientTls.renew();
    }
  }

  /// Receives and answers nothing more. The lanes may be closed afterwards.
  void stop() {
    receivers.forEach(SocketReceiver::stop);
    if (cql != null) {
      cql.stop();
    }
  }

  /// Ends the threads, after the lanes are closed.
  @Override
  public void close() {
    receivers.forEach(SocketReceiver::close);
    if (cql != null) {
      cql.close();
    }
  }
}
