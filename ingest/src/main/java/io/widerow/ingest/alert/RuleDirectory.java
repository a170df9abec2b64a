package io.widerow.ingest.alert;

import io.widerow.ingest.config.FileVersion;
import io.widerow.query.WholeFile;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.FileVisitOption;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// The rule files of a directory while the daemon runs. A file that cannot be used leaves its
/// former version in force; a file that is gone takes its groups with it.
///
/// ```
///   DIR/*.yml, *.yaml              PromQL
///   DIR/loki/**/*.yml, *.yaml      LogQL
/// ```
///
/// - Threads: one calls [#reload], any thread the other methods.
public final class RuleDirectory {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final long BYTES_MAX = 4 << 20;
  private static final int DEPTH_MAX = 16;
  private static final String LOGQL = "loki";

  private final Path directory;
  private final long intervalMillis;
  private Map<Path, @Nullable FileVersion> seen = Map.of();
  private @Nullable String unreadable; // of the directory
  private final SortedMap<Path, RuleFile> files = new TreeMap<>();
  private final SortedMap<Path, String> mistakes = new TreeMap<>();
  private volatile List<RuleGroup> groups = List.of();
  private volatile List<String> problems = List.of();

  /// @param intervalMillis of groups that have none
  public RuleDirectory(Path directory, long intervalMillis) {
    this.directory = directory;
    this.intervalMillis = intervalMillis;
  }

  /// Reads files that have changed.
  ///
  /// @param all whether those that have not are read too
  /// @return true when groups may have changed
  boolean reload(boolean all) {
    Map<Path, @Nullable FileVersion> now = new TreeMap<>();
    try {
      for (Path file : files(directory)) {
        now.put(file, FileVersion.of(file));
      }
    } catch (IOException failed) {
      String why = "rules-dir: cannot read %s: %s".formatted(directory, FailureReason.of(failed));
      if (!why.equals(unreadable)) {
        LOG.log(Level.WARNING, "{0}; the old rules stay in force", why);
      }
      unreadable = why;
      publish();
      return false;
    }
    boolean wasUnreadable = unreadable != null;
    unreadable = null;
    if (!all && now.equals(seen)) {
      if (wasUnreadable) {
        publish(); // without the reason
      }
      return false;
    }
    Map<Path, @Nullable FileVersion> before = seen;
    seen = now;
    files.keySet().retainAll(now.keySet());
    mistakes.keySet().retainAll(now.keySet());
    now.forEach((file, version) -> {
      if (all || version == null || !version.equals(before.get(file))) {
        read(file);
      }
    });
    publish();
    return true;
  }

  private void publish() {
    groups = files.values().stream().flatMap(file -> file.groups().stream()).toList();
    List<String> all = new ArrayList<>(mistakes.values());
    String why = unreadable;
    if (why != null) {
      all.add(why);
    }
    problems = List.copyOf(all);
  }

  private void read(Path file) {
    try {
      RuleFile read = parse(directory, file, intervalMillis);
      RuleFile before = files.put(file, read);
      mistakes.remove(file);
      if (before == null || !before.hash().equals(read.hash())) {
        LOG.log(
            Level.INFO,
            "rules: read {0}, {1} groups",
            new Object[] {file, Integer.toString(read.groups().size())});
      }
    } catch (IllegalArgumentException wrong) {
      String why = String.valueOf(wrong.getMessage());
      if (!why.equals(mistakes.put(file, why))) {
        LOG.log(
            Level.WARNING,
            "rules: {0}; {1}",
            new Object[] {
              why, files.containsKey(file) ? "its old version stays in force" : "it has no rules"
            });
      }
    }
  }

  /// The rule files of a directory, in order.
  static List<Path> files(Path directory) throws IOException {
    List<Path> files = new ArrayList<>();
    add(directory, 1, files);
    Path logql = directory.resolve(LOGQL);
    if (Files.isDirectory(logql)) {
      add(logql, DEPTH_MAX, files);
    }
    files.sort(null);
    return files;
  }

  private static void add(Path directory, int depth, List<Path> files) throws IOException {
    try (Stream<Path> all = Files.walk(directory, depth, FileVisitOption.FOLLOW_LINKS)) {
      all.filter(file -> file.toString().endsWith(".yml") || file.toString().endsWith(".yaml"))
          .filter(file -> !directory.relativize(file).toString().startsWith(".."))
          .filter(Files::isRegularFile)
          .forEach(files::add);
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    }
  }

  /// Reads a rule file.
  ///
  /// @throws IllegalArgumentException when it cannot be used; it names file, line and reason
  static RuleFile parse(Path directory, Path file, long intervalMillis) {
    String name = directory.relativize(file).toString();
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new RuleMistake(name, "it has more than %d bytes".formatted(BYTES_MAX));
      }
      boolean isLogql = file.startsWith(directory.resolve(LOGQL));
      return RuleFile.parse(name, WholeFile.read(file), isLogql, intervalMillis);
    } catch (CharacterCodingException _) {
      throw new RuleMistake(name, "it is not UTF-8");
    } catch (IOException unreadable) {
      throw new RuleMistake(name, "cannot be read: " + FailureReason.of(unreadable));
    }
  }

  /// The groups in force, in the order of files.
  List<RuleGroup> groups() {
    return groups;
  }

  /// Why files are not in force as they are now; empty when all are.
  public List<String> problems() {
    return problems;
  }

  /// Checks all files, for `--check-config`.
  ///
  /// @throws IllegalArgumentException with the first mistake of each file
  public static void check(Path directory, long intervalMillis) {
    List<String> wrong = new ArrayList<>();
    try {
      for (Path file : files(directory)) {
        try {
          var _ = parse(directory, file, intervalMillis);
        } catch (IllegalArgumentException mistake) {
          wrong.add(mistake.getMessage());
        }
      }
    } catch (IOException unreadable) {
      wrong.add("cannot read %s: %s".formatted(directory, FailureReason.of(unreadable)));
    }
    if (!wrong.isEmpty()) {
      throw new IllegalArgumentException("rules-dir: " + String.join("; ", wrong));
    }
  }
}
