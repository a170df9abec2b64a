package io.widerow.cli;

import io.widerow.storage.StorageException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Stack;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.IParameterConsumer;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;

/// Refuses a cluster, or the directory of a daemon on a cluster, for commands that work on the
/// files of one machine, and names the replacement. That directory has no store of its own, but the
/// daemon's number (`owner`), the rounds that it applied last (`rounds`), and the events that are
/// not applied yet (`spool`), which belong to that daemon alone.
public final class ClusterDirectory {
  private static final String SPOOL = "spool";

  static final String VERIFY = "use `widerow cluster verify --store URI` on the cluster";
  static final String SNAPSHOT =
      "ask one of its daemons, with `widerow snapshot --to NAME --url URL`; events not applied yet"
          + " are in the directories of the daemons";
  static final String REPAIR =
      "use `nodetool repair` and `nodetool scrub` on the nodes of the cluster, and `widerow cluster"
          + " verify --store URI` to list the damage";

  @Option(names = "--store", hidden = true, paramLabel = "URI", parameterConsumer = Refusal.class)
  @Nullable String store;

  /// Refuses the option as it is read, before others are missed.
  static final class Refusal implements IParameterConsumer {
    @Override
    public void consumeParameters(Stack<String> arguments, ArgSpec option, CommandSpec command) {
      String name = command.name().substring(command.name().lastIndexOf(' ') + 1);
      String instead =
          switch (name) {
            case "verify" -> VERIFY;
            case "snapshot" -> SNAPSHOT;
            case "repair" -> REPAIR;
            default -> throw new IllegalStateException(name);
          };
      throw new ParameterException(
          command.commandLine(),
          "store: %s works on the files of one machine; %s".formatted(name, instead));
    }
  }

  /// Does nothing when the directory is any other than that of a daemon on a cluster, or its spool.
  ///
  /// @param instead the replacement for the cluster
  /// @throws StorageException.Incompatible when it is that of a daemon on a cluster
  public static void refuse(Path directory, String instead) {
    Path whole = directory.toAbsolutePath().normalize();
    Path parent = whole.getParent();
    if (whole.endsWith(SPOOL) && parent != null && isOfDaemon(parent)) {
      throw new StorageException.Incompatible(
          directory,
          "belongs to the daemon on a cluster whose directory is %s: it has only the events that"
                  .formatted(parent)
              + " are not applied yet; "
              + instead);
    }
    if (isOfDaemon(directory)) {
      throw new StorageException.Incompatible(
          directory,
          "is the directory of a daemon on a cluster, without a store: its events are on"
              + " the cluster, and events not applied yet in spool; "
              + instead);
    }
  }

  private static boolean isOfDaemon(Path directory) {
    return Files.exists(directory.resolve("owner"))
        && Files.isDirectory(directory.resolve(SPOOL))
        && !Files.exists(directory.resolve("FORMAT"));
  }
}
