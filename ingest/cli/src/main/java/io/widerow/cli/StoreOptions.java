package io.widerow.cli;

import io.widerow.query.QueryException;
import io.widerow.query.QueryThreads;
import io.widerow.query.Variables;
import io.widerow.storage.EventStore;
import io.widerow.storage.StorageException;
import io.widerow.storage.embedded.EmbeddedStore;
import java.nio.file.Path;
import java.util.Map;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that name a store to read without a daemon, the same for all commands.
public final class StoreOptions {
  /// The daemon's key that a provider is given, from the environment.
  private static final String INSECURE = Variables.of("insecure");

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description = "Read a stopped store in this directory.")
  @Nullable Path data;

  @Option(
      names = "--store",
      paramLabel = "URI",
      description =
          "Read a cluster, without a daemon: cassandra://HOST[:PORT]/KEYSPACE?dc=NAME, with user"
              + " and TLS as for the daemon: &user=NAME&password-file=FILE&ca=FILE.")
  @Nullable String store;

  /// True when a store is read without a daemon.
  boolean isGiven() {
    return data != null || store != null;
  }

  /// The store that the options name; null when a daemon is to be asked. The caller closes it.
  ///
  /// @throws QueryException.Refused when the options name more than one source
  /// @throws StorageException when the store cannot be opened
  public @Nullable EventStore open(DaemonOptions daemon, Shell shell) {
    Path directory = data;
    String uri = store;
    if (uri != null) {
      if (directory != null || daemon.isGiven()) {
        throw new QueryException.Refused(
            "store",
            "give either store or %s, not both".formatted(directory == null ? "url" : "data"));
      }
      return open(uri, ServiceLoader.load(StoreProvider.class), shell.environment());
    }
    if (directory == null) {
      return null;
    }
    if (daemon.isGiven()) {
      throw new QueryException.Refused("data", "give either data or url, not both");
    }
    ClusterDirectory.refuse(
        directory.toAbsolutePath(), "to read the cluster, name it with --store URI");
    EmbeddedStore stopped = EmbeddedStore.openForReading(directory.toAbsolutePath());
    stopped.readWith(QueryThreads.start());
    return stopped;
  }

  /// @param environment of the process
  static EventStore open(
      String uri, Iterable<StoreProvider> providers, Map<String, String> environment) {
    boolean some = false;
    for (StoreProvider provider : providers) {
      some = true;
      if (provider.opens(uri)) {
        try {
          return provider.open(uri, isInsecure(environment));
        } catch (IllegalArgumentException malformed) {
          throw new QueryException.Refused("store", String.valueOf(malformed.getMessage()));
        }
      }
    }
    if (some) {
      throw new QueryException.Refused(
          "store", "must be cassandra://HOST[:PORT][,HOST]/KEYSPACE?dc=NAME, got " + uri);
    }
    throw new StorageException.Incompatible(
        uri,
        "the class path has nothing that reads a cluster; start the command with the launcher,"
            + " widerow, which takes all jars for --store");
  }

  private static boolean isInsecure(Map<String, String> environment) {
    return Boolean.parseBoolean(environment.getOrDefault(INSECURE, "").strip());
  }
}
