package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options of commands that start servers themselves.
public final class CompareOptions {
  @Option(
      names = "--budget",
      defaultValue = "15m",
      description = "start no pair that would not end within this time")
  private String budget = "";

  @Option(
      names = "--home",
      defaultValue = "${sys:widerow.home:-.}",
      paramLabel = "DIR",
      description = "checkout whose scripts start the servers (default: the one of this command)")
  public Path home = Path.of("");

  @Option(
      names = "--work",
      paramLabel = "DIR",
      description =
          "parent of the servers' directories (default: the system's temporary directory)")
  private @Nullable Path work;

  @Option(
      names = "--set",
      paramLabel = "KEY=VALUE",
      description = "a key of the daemon's configuration, for contestants that are Widerow")
  private List<String> keys = List.of();

  @Option(
      names = "--node-heap",
      defaultValue = "4g",
      paramLabel = "SIZE",
      description = "Java heap of a node of Cassandra, its own or under a daemon")
  private String nodeHeap = "";

  /// What `--set` says.
  public List<String> keys() {
    return List.copyOf(keys);
  }

  /// @param text as [Contestant#parse] has it
  public Contestant contestant(String text) throws IOException {
    return Contestant.parse(text, home, keys, nodeHeap);
  }

  /// The daemon's keys for a reader of the figures; empty when all have their defaults.
  public String settings() {
    return keys.isEmpty() ? "" : ", " + String.join(", ", keys);
  }

  public long budgetNanos() {
    return Quantity.nanos("--budget", budget);
  }

  /// A fresh directory; the caller passes it to [FileTree#remove].
  public Path workDirectory() throws IOException {
    return work == null
        ? Files.createTempDirectory("widerow-load")
        : Files.createTempDirectory(Files.createDirectories(work), "widerow-load");
  }
}
