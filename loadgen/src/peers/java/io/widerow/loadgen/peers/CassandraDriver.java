package io.widerow.loadgen.peers;

import com.datastax.oss.driver.api.core.CqlSession;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.config.DefaultDriverOption;
import com.datastax.oss.driver.api.core.config.DriverConfigLoader;
import com.datastax.oss.driver.api.core.cql.PreparedStatement;
import com.datastax.oss.driver.api.core.cql.Row;
import io.widerow.loadgen.wire.Connection;
import io.widerow.loadgen.wire.PeerDriver;
import io.widerow.loadgen.wire.PeerReader;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import javax.management.JMException;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/// Cassandra through its own driver: one session for each server, shared by all connections and
/// closed with the last one. Everything is written and read at LOCAL_QUORUM.
///
/// - Threads: any.
public final class CassandraDriver implements PeerDriver {
  private static final int JMX_PORT = 2; // beyond that of CQL, as the script has it
  static final int PAGE_ROWS = 5_000;
  private static final Map<InetSocketAddress, Shared> SESSIONS = new HashMap<>();

  /// A session and how many use it.
  private static final class Shared {
    final CqlSession session;
    final PreparedStatement insert;
    int users;

    Shared(CqlSession session, PreparedStatement insert) {
      this.session = session;
      this.insert = insert;
    }
  }

  @Override
  public String label() {
    return "cassandra";
  }

  @Override
  public Connection connect(InetSocketAddress address) throws IOException {
    synchronized (SESSIONS) {
      Shared shared = SESSIONS.get(address);
      if (shared == null) {
        shared = share(open(address));
        SESSIONS.put(address, shared);
      }
      shared.users++;
      return new CassandraConnection(shared.session, shared.insert, () -> release(address));
    }
  }

  private static Shared share(CqlSession session) throws IOException {
    try {
      return new Shared(session, CassandraTable.prepareInsert(session));
    } catch (DriverException failure) {
      session.close();
      throw new IOException("Cassandra: " + failure.getMessage(), failure);
    }
  }

  private static void release(InetSocketAddress address) {
    synchronized (SESSIONS) {
      Shared shared = SESSIONS.get(address);
      if (shared != null && --shared.users == 0) {
        SESSIONS.remove(address);
        shared.session.close();
      }
    }
  }

  static CqlSession session(InetSocketAddress address) throws IOException {
    Logger.getLogger("com.datastax").setLevel(Level.OFF);
    DriverConfigLoader config =
        DriverConfigLoader.programmaticBuilder()
            .withDuration(DefaultDriverOption.REQUEST_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(
                DefaultDriverOption.METADATA_SCHEMA_REQUEST_TIMEOUT, Duration.ofSeconds(20))
            .withDuration(DefaultDriverOption.CONNECTION_INIT_QUERY_TIMEOUT, Duration.ofSeconds(20))
            .withInt(DefaultDriverOption.REQUEST_PAGE_SIZE, PAGE_ROWS)
            .withString(DefaultDriverOption.REQUEST_CONSISTENCY, "LOCAL_QUORUM")
            .build();
    try {
      return CqlSession.builder()
          .addContactPoint(address)
          .withLocalDatacenter("datacenter1")
          .withConfigLoader(config)
          .build();
    } catch (DriverException | IllegalStateException failure) {
      throw refused(address, failure);
    }
  }

  /// A session with the table of the events.
  private static CqlSession open(InetSocketAddress address) throws IOException {
    CqlSession session = session(address);
    try {
      CassandraTable.create(session);
      return session;
    } catch (DriverException failure) {
      session.close();
      throw refused(address, failure);
    }
  }

  private static IOException refused(InetSocketAddress address, RuntimeException failure) {
    return new IOException("Cassandra at " + address + ": " + failure.getMessage(), failure);
  }

  @Override
  public void flush(InetSocketAddress address, String keyspace) throws IOException {
    JMXServiceURL url =
        new JMXServiceURL(
            "service:jmx:rmi:///jndi/rmi://%s:%d/jmxrmi"
                .formatted(address.getHostString(), address.getPort() + JMX_PORT));
    try (JMXConnector connector = JMXConnectorFactory.connect(url)) {
      connector
          .getMBeanServerConnection()
          .invoke(
              new ObjectName("org.apache.cassandra.db:type=StorageService"),
              "forceKeyspaceFlush",
              new Object[] {keyspace, new String[0]}, // all of its tables
              new String[] {String.class.getName(), String[].class.getName()});
    } catch (JMException failure) {
      throw new IOException(
          "flushing %s of Cassandra at %s: %s".formatted(keyspace, address, failure.getMessage()),
          failure);
    }
  }

  @Override
  public PeerReader reader(InetSocketAddress address) throws IOException {
    CqlSession session = open(address);
    try {
      return new CassandraReader(session);
    } catch (DriverException failure) {
      session.close();
      throw new IOException("reading from Cassandra at " + address, failure);
    }
  }

  @Override
  public long count(InetSocketAddress address) throws IOException {
    try (CqlSession session = open(address)) {
      long count = 0;
      for (Row partition : session.execute(CassandraTable.PARTITIONS)) {
        for (Row event :
            session.execute(
                session
                    .prepare(CassandraTable.IDS)
                    .bind(
                        partition.getString("bucket"),
                        partition.getString("type"),
                        partition.getShort("shard")))) {
          count += event.isNull(0) ? 0 : 1;
        }
      }
      return count;
    } catch (DriverException failure) {
      throw new IOException("counting in Cassandra at " + address, failure);
    }
  }
}
