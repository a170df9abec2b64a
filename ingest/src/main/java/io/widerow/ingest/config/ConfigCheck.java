package io.widerow.ingest.config;

import io.widerow.query.Variables;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The configuration of a start, or all its mistakes. A value that is refused is put aside and the
/// rest is read without it, so that one mistake does not hide the next. The check writes nothing
/// and listens nowhere: it may run while the daemon does.
///
/// @param config null when there are mistakes
/// @param mistakes a sentence each, in the order in which they were found
public record ConfigCheck(@Nullable DaemonConfig config, List<String> mistakes) {
  public ConfigCheck {
    mistakes = List.copyOf(mistakes);
  }

  /// @param further checks of a configuration whose values are right one by one; each may throw
  ///   [IllegalArgumentException]
  public static ConfigCheck of(
      Map<String, String> flags,
      Map<String, String> environment,
      @Nullable Path file,
      List<Consumer<DaemonConfig>> further) {
    List<String> mistakes = new ArrayList<>();
    collect(mistakes, () -> Variables.check(environment));
    Map<String, String> values = new LinkedHashMap<>();
    if (file != null) {
      collect(mistakes, () -> values.putAll(ConfigSources.ofFile(file)));
    }
    values.putAll(ConfigSources.ofEnvironment(environment));
    values.putAll(flags);
    String where = file == null ? "" : file + ": ";
    for (String key : List.copyOf(values.keySet())) {
      if (!DaemonConfig.isKnown(key)) {
        mistakes.add((flags.containsKey(key) ? "" : where) + DaemonConfig.unknown(key));
        values.remove(key);
      }
    }
    DaemonConfig config = read(values, mistakes);
    if (config != null) {
      List<Consumer<DaemonConfig>> all =
          new ArrayList<>(
              List.of(
                  each -> each.security().check(),
                  each -> each.streams().check(),
                  each -> each.cluster().check()));
      all.addAll(further);
      all.forEach(check -> collect(mistakes, () -> check.accept(config)));
    }
    return new ConfigCheck(mistakes.isEmpty() ? config : null, mistakes);
  }

  /// What a start needs of this machine, for `further`: directories that can be written to, and an
  /// address to listen on.
  public static List<Consumer<DaemonConfig>> ofMachine() {
    return List.of(
        config -> requireDirectory("data", config.data()),
        config -> requireDirectory("snapshot-dir", config.store().snapshotDirectory()),
        config -> requireOwn("http", config.http()));
  }

  /// The configuration of the values that are not refused; null when what is refused cannot be
  /// found among them.
  private static @Nullable DaemonConfig read(Map<String, String> values, List<String> mistakes) {
    Set<String> refused = new LinkedHashSet<>();
    while (true) {
      try {
        return DaemonConfig.of(values);
      } catch (IllegalArgumentException wrong) {
        String why = String.valueOf(wrong.getMessage());
        Set<String> named = named(why, values.keySet());
        if (named(why, refused).isEmpty()) { // else it follows from what was put aside
          mistakes.add(why);
        }
        if (named.isEmpty()) {
          return null;
        }
        values.keySet().removeAll(named);
        refused.addAll(named);
      }
    }
  }

  /// The keys that a sentence names as whole words.
  private static Set<String> named(String sentence, Set<String> keys) {
    Set<String> named = new LinkedHashSet<>();
    for (String key : keys) {
      Pattern word = Pattern.compile("(?<![\\w.-])" + Pattern.quote(key) + "(?![\\w-]|\\.\\w)");
      if (word.matcher(sentence).find()) {
        named.add(key);
      }
    }
    return named;
  }

  private static void collect(List<String> mistakes, Runnable check) {
    try {
      check.run();
    } catch (IllegalArgumentException wrong) {
      mistakes.add(String.valueOf(wrong.getMessage()));
    }
  }

  /// Refuses a directory that is not there and cannot be created, or cannot be written to.
  private static void requireDirectory(String key, @Nullable Path directory) {
    if (directory == null) {
      return; // next to `data`, where it may be missing until somebody asks for a snapshot
    }
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
