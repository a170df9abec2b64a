package io.widerow.cli;

import io.widerow.query.QueryException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/// The options of commands that check the files of a stopped store.
final class StoppedStore {
  @Mixin final ClusterDirectory cluster = new ClusterDirectory();

  @Option(
      names = "--data",
      paramLabel = "DIR",
      required = true,
      description = "Directory of a stopped store.")
  @Nullable Path data;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "${COMPLETION-CANDIDATES}. Default: table.")
  DamageTable.Format output = DamageTable.Format.table;

  /// The directory of the store.
  ///
  /// @param instead what to use for a cluster
  Path directory(String instead) {
    Path directory = data;
    if (directory == null) {
      throw new QueryException.Refused("data", "is missing; name the directory of a store");
    }
    ClusterDirectory.refuse(directory.toAbsolutePath(), instead);
    return directory.toAbsolutePath();
  }
}
