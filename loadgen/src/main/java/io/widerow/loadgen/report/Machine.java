package io.widerow.loadgen.report;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/// Describes the machine and the code that were measured.
public final class Machine {
  private static final long GIT_SECONDS_MAX = 5;

  private Machine() {}

  static Map<String, String> describe() {
    Map<String, String> facts = new LinkedHashMap<>();
    facts.put("cpu", line("/proc/cpuinfo", "model name"));
    facts.put("cores", Integer.toString(Runtime.getRuntime().availableProcessors()));
    facts.put("memory", line("/proc/meminfo", "MemTotal"));
    facts.put("kernel", line("/proc/sys/kernel/osrelease", ""));
    facts.put("load average", line("/proc/loadavg", ""));
    facts.put("huge pages", line("/sys/kernel/mm/transparent_hugepage/enabled", ""));
    facts.put("client jdk", Runtime.version().toString());
    facts.put("client flags", flags(ProcessHandle.current().pid()));
    facts.put("commit", git("rev-parse", "--short=10", "HEAD"));
    facts.put("changed files", Long.toString(git("status", "--porcelain").lines().count()));
    return facts;
  }

  /// The JVM options of a process, except options with a path; `unknown` when it has ended or
  /// belongs to another user.
  static String flags(long pid) {
    try {
      String words = Files.readString(Path.of("/proc", Long.toString(pid), "cmdline"));
      String flags =
          Stream.of(words.split("\0", -1))
              .filter(word -> word.startsWith("-X") && word.indexOf('/') < 0)
              .collect(Collectors.joining(" "));
      return flags.isEmpty() ? "none" : flags;
    } catch (IOException absent) {
      return "unknown";
    }
  }

  /// Which code was measured on what: the members that every line of results has.
  public static Map<String, String> origin() {
    Map<String, String> facts = describe();
    Map<String, String> origin = new LinkedHashMap<>();
    origin.put("commit", fact(facts, "commit"));
    origin.put(
        "machine",
        "%s, %d cores, %s, Linux %s"
            .formatted(fact(facts, "cpu"), cores(), gibibytes(facts), fact(facts, "kernel")));
    origin.put("jdk", fact(facts, "client jdk"));
    return origin;
  }

  /// All cores of the machine, not only the cores that this process may use.
  private static long cores() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/cpuinfo"))) {
      return lines.filter(line -> line.startsWith("processor")).count();
    } catch (IOException absent) {
      return Runtime.getRuntime().availableProcessors();
    }
  }

  private static String gibibytes(Map<String, String> facts) {
    String kibibytes = fact(facts, "memory").replace(" kB", "");
    return kibibytes.matches("\\d+")
        ? String.format(Locale.ROOT, "%.1f GiB", Long.parseLong(kibibytes) / (double) (1 << 20))
        : kibibytes;
  }

  private static String fact(Map<String, String> facts, String name) {
    return facts.getOrDefault(name, "unknown");
  }

  /// The first line that begins with `name`, without it; `unknown` when there is none.
  private static String line(String file, String name) {
    try (Stream<String> lines = Files.lines(Path.of(file))) {
      return lines
          .filter(line -> line.startsWith(name))
          .findFirst()
          .map(line -> line.substring(line.indexOf(':') * (name.isEmpty() ? 0 : 1)))
          .map(line -> line.startsWith(":") ? line.substring(1) : line)
          .map(String::strip)
          .orElse("unknown");
    } catch (IOException absent) {
      return "unknown";
    }
  }

  private static String git(String... arguments) {
    try {
      String[] command =
          Stream.concat(Stream.of("git"), Stream.of(arguments)).toArray(String[]::new);
      Process process = new ProcessBuilder(command).redirectErrorStream(false).start();
      String text =
          new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
      boolean ended = process.waitFor(GIT_SECONDS_MAX, TimeUnit.SECONDS);
      return ended && process.exitValue() == 0 ? text : "unknown";
    } catch (IOException absent) {
      return "unknown";
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      return "unknown";
    }
  }
}
