package io.widerow.storage.cassandra.migrate;

import io.widerow.storage.RetentionLookup;
import io.widerow.storage.cassandra.keyspace.ClusterOptions;
import io.widerow.storage.cassandra.keyspace.DriverKeyspace;
import io.widerow.storage.cassandra.keyspace.Keyspace;
import io.widerow.storage.cassandra.keyspace.StoreUri;
import io.widerow.storage.cassandra.read.ClusterReader;
import io.widerow.storage.cassandra.read.ReadOptions;
import java.nio.file.Path;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/// Program that [MigrationNodeTest] kills: one run of a migration. It says `begin`, then `end` and
/// the number of differences.
final class MigrationChild {
  private MigrationChild() {}

  /// @param args URI, directory, `there` or `back`
  public static void main(String[] args) {
    Path directory = Path.of(args[1]);
    try (ExecutorService threads = Executors.newCachedThreadPool();
        Keyspace keyspace = DriverKeyspace.open(ClusterOptions.at(StoreUri.parse(args[0])));
        ClusterReader reader =
            new ClusterReader(keyspace, RetentionLookup.FOREVER, ReadOptions.DEFAULT, threads)) {
      Migration migration =
          new Migration(keyspace, reader::view, Settings.of(threads, 2), MigrationWatch.NONE);
      System.out.println("begin");
      MigrationOutcome outcome =
          args[2].equals("there")
              ? migration.toCluster(directory)
              : migration.toDirectory(directory);
      System.out.println("end " + outcome.differences().size());
    }
  }
}
