package io.widerow.fuzz;

import io.widerow.faults.FaultRecords;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// Program that runs the targets of a module under jazzer, one after the other, each in its own
/// JVM, and prints a table. Seconds are processor time. Inputs that jazzer keeps stay in the
/// directory for the next run.
///
/// ```
///   FuzzRun <class of the targets> <directory> <seconds> <regex of names> <options of the JVM ...>
///   FuzzRun <class of the targets> <name> <input in base64>          one input, to be debugged
/// ```
public final class FuzzRun {
  private static final int INPUT_BYTES_MAX = 1 << 15;
  private static final Pattern EXECUTED = Pattern.compile("stat::number_of_executed_units: (\\d+)");
  private static final Pattern COVERED = Pattern.compile("cov: (\\d+)");
  private static final Pattern KEPT = Pattern.compile("corp: (\\d+)");

  private static final int CHILDREN_USER = 13; // cutime, counted after the name; then cstime
  private static final long TICKS_PER_SECOND = 100;

  private final String targets;
  private final Path directory;
  private final long cpuSeconds;
  private final List<String> jvm;

  /// Result of one target.
  private record Result(long executed, String covered, String kept, String finding) {
    static final Result NONE = new Result(0, "0", "0", "");
  }

  private FuzzRun(String targets, Path directory, long cpuSeconds, List<String> jvm) {
    this.targets = targets;
    this.directory = directory;
    this.cpuSeconds = cpuSeconds;
    this.jvm = jvm;
  }

  public static void main(String[] arguments) throws Exception {
    if (arguments.length == 3) {
      FuzzTarget target = JazzerEntry.find(arguments[0], arguments[1]);
      FuzzCheck.run(target, Base64.getDecoder().decode(arguments[2]));
      return;
    }
    List<String> jvm = List.of(arguments).subList(4, arguments.length);
    Path directory = Path.of(arguments[1]).toAbsolutePath();
    FuzzRun run = new FuzzRun(arguments[0], directory, Long.parseLong(arguments[2]), jvm);
    if (run.all(Pattern.compile(arguments[3]))) {
      System.exit(1);
    }
  }

  /// True when something was found.
  private boolean all(Pattern names) throws Exception {
    boolean found = false;
    System.out.printf("%-16s %12s %8s %6s  %s%n", "target", "executed", "covered", "kept", "found");
    for (FuzzTarget target : JazzerEntry.all(targets)) {
      if (names.matcher(target.name()).matches()) {
        long cpuBefore = childrenCpuSeconds();
        Result result = Result.NONE;
        // jazzer counts wall-clock seconds, so a busy machine needs several rounds.
        for (long left = cpuSeconds;
            left > 0 && result.finding.isEmpty();
            left = cpuSeconds - (childrenCpuSeconds() - cpuBefore)) {
          Result round = round(target, left);
          result =
              new Result(
                  result.executed + round.executed, round.covered, round.kept, round.finding);
        }
        FaultRecords.add(
            FaultRecords.Table.FUZZ,
            target.name(),
            result.executed,
            result.covered,
            result.kept,
            childrenCpuSeconds() - cpuBefore,
            result.finding.isEmpty() ? "nothing" : result.finding.replace('"', '\''));
        found |= !result.finding.isEmpty();
        System.out.printf(
            "%-16s %12s %8s %6s  %s%n",
            target.name(),
            result.executed,
            result.covered,
            result.kept,
            result.finding.isEmpty() ? "nothing" : result.finding);
      }
    }
    return found;
  }

  /// Processor time of ended child processes, as Linux counts it.
  private static long childrenCpuSeconds() throws IOException {
    String stat = Files.readString(Path.of("/proc/self/stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    return (Long.parseLong(fields[CHILDREN_USER]) + Long.parseLong(fields[CHILDREN_USER + 1]))
        / TICKS_PER_SECOND;
  }

  private Result round(FuzzTarget target, long seconds) throws IOException, InterruptedException {
    Path place = directory.resolve(target.name());
    Path corpus = Files.createDirectories(place.resolve("corpus"));
    Path seeds = Files.createDirectories(place.resolve("seeds"));
    int number = 0;
    for (byte[] seed : target.allSeeds()) {
      Files.write(seeds.resolve("seed-%04d".formatted(number++)), seed);
    }
    Process process =
        new ProcessBuilder(command(target, corpus, seeds, seconds))
            .directory(place.toFile())
            .redirectErrorStream(true)
            .start();
    Path log = place.resolve("log.txt");
    Result result = Result.NONE;
    try (BufferedReader lines = process.inputReader(StandardCharsets.UTF_8);
        var kept = Files.newBufferedWriter(log)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        kept.write(line);
        kept.newLine();
        result = read(line, result);
      }
    }
    int status = process.waitFor();
    if (status != 0 && result.finding.isEmpty()) {
      result =
          new Result(
              result.executed,
              result.covered,
              result.kept,
              "exit status " + status + ", see " + log);
    }
    return result;
  }

  private List<String> command(FuzzTarget target, Path corpus, Path seeds, long seconds) {
    List<String> command = new ArrayList<>();
    command.add(ProcessHandle.current().info().command().orElse("java"));
    command.addAll(jvm);
    command.addAll(
        List.of(
            "-ea",
            "-cp",
            System.getProperty("java.class.path"),
            "com.code_intelligence.jazzer.Jazzer",
            "--target_class=" + JazzerEntry.class.getName(),
            "--target_args=" + targets + " " + target.name(),
            "--instrumentation_includes=io.widerow.**",
            corpus.toString(),
            seeds.toString(),
            "-max_total_time=" + seconds,
            "-max_len=" + INPUT_BYTES_MAX,
            "-timeout=20",
            "-rss_limit_mb=3000",
            "-print_final_stats=1"));
    return command;
  }

  private static Result read(String line, Result sofar) {
    Matcher executed = EXECUTED.matcher(line);
    Matcher covered = COVERED.matcher(line);
    Matcher kept = KEPT.matcher(line);
    boolean found =
        sofar.finding.isEmpty()
            && (line.startsWith("== Java Exception") || line.contains("ERROR: libFuzzer"));
    return new Result(
        executed.find() ? Long.parseLong(executed.group(1)) : sofar.executed,
        covered.find() ? covered.group(1) : sofar.covered,
        kept.find() ? kept.group(1) : sofar.kept,
        found ? line : sofar.finding);
  }
}
