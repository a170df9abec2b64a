package io.widerow.ingest.config;

import io.widerow.query.Variables;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/// The configuration of a start, or all its mistakes: one does not hide the next. The check writes
/// nothing and listens nowhere: it may run while the daemon does.
///
/// @param config null when there are mistakes
/// @param mistakes a sentence each, in the order in which they were found
public record ConfigCheck(@Nullable DaemonConfig config, List<String> mistakes) {
  public ConfigCheck {
    mistakes = List.copyOf(mistakes);
  }

  /// @param further rules for what the values name
  public static ConfigCheck of(
      Map<String, String> flags,
      Map<String, String> environment,
      @Nullable Path file,
      List<ConfigRule> further) {
    List<String> mistakes = new ArrayList<>(Variables.mistakes(environment));
    Map<String, String> values = new LinkedHashMap<>();
    Map<String, String> sources = new HashMap<>();
    if (file != null) {
      collect(mistakes, () -> values.putAll(ConfigSources.ofFile(file)));
    }
    values.keySet().forEach(name -> sources.put(name, "file"));
    Map<String, String> variables = ConfigSources.ofEnvironment(environment);
    values.putAll(variables);
    variables.keySet().forEach(name -> sources.put(name, "variable " + Variables.of(name)));
    values.putAll(flags);
    flags.keySet().forEach(name -> sources.put(name, "flag"));
    String where = file == null ? "" : file + ": ";
    for (String name : List.copyOf(values.keySet())) {
      if (ConfigKeys.find(name) == null) {
        mistakes.add((flags.containsKey(name) ? "" : where) + ConfigKeys.unknown(name));
        values.remove(name);
      }
    }
    List<ConfigRule> rules = new ArrayList<>(ConfigRules.FILES);
    rules.addAll(further);
    DaemonConfig config = DaemonConfig.read(values, sources, rules, mistakes::add);
    return new ConfigCheck(mistakes.isEmpty() ? config : null, mistakes);
  }

  /// What a start needs of this machine, for `further`: directories that can be written to, and an
  /// address to listen on.
  public static List<ConfigRule> ofMachine() {
    return List.of(
        ConfigRule.of(config -> requireDirectory("data", config.data()), ConfigKeys.DATA),
        ConfigRule.of(ConfigCheck::requireSnapshots, ConfigKeys.SNAPSHOT_DIR, ConfigKeys.DATA),
        ConfigRule.of(config -> requireOwn("http", config.http()), ConfigKeys.HTTP));
  }

  /// The rule for the URI of a cluster.
  ///
  /// @param check throws [IllegalArgumentException] for a URI that cannot be used
  public static ConfigRule ofStore(Consumer<DaemonConfig> check) {
    return ConfigRule.of(check, ConfigKeys.STORE, ConfigKeys.INSECURE);
  }

  /// The rule for the parameters of sources.
  ///
  /// @param check throws [IllegalArgumentException] for one that its format does not have
  public static ConfigRule ofSources(Consumer<DaemonConfig> check) {
    return ConfigRule.of(check, ConfigKeys.KAFKA, ConfigKeys.KAFKA_OF);
  }

  /// The rule that reads the file of transforms.
  ///
  /// @param read throws [IllegalArgumentException] for a file without transforms
  public static ConfigRule ofTransforms(Consumer<DaemonConfig> read) {
    return ConfigRule.of(read, ConfigKeys.TRANSFORMS);
  }

  /// The rule that reads the rule files.
  ///
  /// @param read throws [IllegalArgumentException] for a file that cannot be used
  public static ConfigRule ofRules(Consumer<DaemonConfig> read) {
    return ConfigRule.of(read, ConfigKeys.RULES_DIR);
  }

  /// Refuses a directory of snapshots that cannot be used. Without one they lie next to `data`,
  /// where it may be missing until a snapshot is made.
  private static void requireSnapshots(DaemonConfig config) {
    if (config.store().hasSnapshotDirectory()) {
      requireDirectory("snapshot-dir", config.store().snapshotDirectory(config.data()));
    }
  }

  private static void collect(List<String> mistakes, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException wrong) {
      mistakes.add(String.valueOf(wrong.getMessage()));
    }
  }

  /// Refuses a directory that is not there and cannot be created, or cannot be written to.
  private static void requireDirectory(String key, Path directory) {
    Path absolute = directory.toAbsolutePath();
    Path parent = absolute.getParent();
    String why = null;
    if (Files.exists(absolute)) {
      if (!Files.isDirectory(absolute)) {
        why = "it is not a directory";
      } else if (!Files.isWritable(absolute)) {
        why = "it cannot be written to: permission denied";
      }
    } else if (parent != null && !Files.isDirectory(parent)) {
      why = "it cannot be created: %s is not a directory; create it first".formatted(parent);
    } else if (parent != null && !Files.isWritable(parent)) {
      why = "it cannot be created in %s: permission denied".formatted(parent);
    }
    if (why != null) {
      throw new IllegalArgumentException("%s: %s: %s".formatted(key, directory, why));
    }
  }

  /// Refuses an address of another machine.
  private static void requireOwn(String key, InetSocketAddress address) {
    InetAddress host = address.getAddress();
    try {
      if (!host.isAnyLocalAddress()
          && !host.isLoopbackAddress()
          && NetworkInterface.getByInetAddress(host) == null) {
        throw new IllegalArgumentException(
            "%s: %s is not an address of this machine".formatted(key, host.getHostAddress()));
      }
    } catch (SocketException unknown) {
      throw new IllegalArgumentException(
          "%s: the addresses of this machine cannot be read: %s"
              .formatted(key, unknown.getMessage()),
          unknown);
    }
  }
}
