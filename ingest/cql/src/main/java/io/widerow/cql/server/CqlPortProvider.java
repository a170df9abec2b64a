package io.widerow.cql.server;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.cql.engine.TableEngine;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.socket.PortProvider;
import io.widerow.query.QueryMemory;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import java.net.InetSocketAddress;
import java.util.concurrent.Executors;

/// Listens for drivers of Cassandra. A store on this machine gets tables for them, which write on a
/// thread of their own; a store on a cluster has none.
public final class CqlPortProvider implements PortProvider {
  @Override
  public String name() {
    return CQL;
  }

  @Override
  public Port listen(
      InetSocketAddress address,
      Terms terms,
      EventStore store,
      Intake intake,
      QueryMemory memory,
      MeterRegistry registry) {
    if (!(store instanceof EmbeddedStore embedded)) {
      return new CqlPort(address, terms, store, null, intake, memory, registry);
    }
    TableEngine tables = embedded.extension(TableEngine.class);
    tables.writeOn(
        Executors.newSingleThreadExecutor(
            Thread.ofPlatform().name("widerow-tables").daemon().factory()));
    CqlPort port = new CqlPort(address, terms, store, tables, intake, memory, registry);
    tables.report(port.damage());
    return port;
  }
}
