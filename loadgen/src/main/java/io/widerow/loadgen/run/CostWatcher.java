package io.widerow.loadgen.run;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// Samples the resources that the target uses during a run.
///
/// - Threads: the run's watching thread.
public final class CostWatcher implements RunWatcher {
  private static final int STEAL = 7; // field of the first line of /proc/stat
  private static final int JIFFIES_LIMIT = 8; // guests are counted in user time as well

  private final List<Long> pids;
  private final @Nullable Path directory;
  private final List<ProcessReading> readings = new ArrayList<>();
  private @Nullable ProcessReading first;
  private @Nullable ProcessReading last;
  private long[] machineFirst = {};
  private long[] machineLast = {};

  /// @param pids processes whose use is added up; may be empty
  /// @param directory whose size counts after the run
  public CostWatcher(List<Long> pids, @Nullable Path directory) {
    this.pids = List.copyOf(pids);
    this.directory = directory;
  }

  @Override
  public void measuringBegins() {
    first = read();
    machineFirst = jiffies();
  }

  @Override
  public void measuringEnds() {
    last = read();
    machineLast = jiffies();
  }

  @Override
  public void second(RunResult.Second second) {
    ProcessReading reading = read();
    if (reading != null) {
      readings.add(reading);
    }
  }

  /// One reading a second.
  public List<ProcessReading> readings() {
    return List.copyOf(readings);
  }

  public Costs costs() {
    ProcessReading from = first;
    ProcessReading until = last;
    long atRestBytes = directory == null ? -1 : bytesBelow(directory);
    if (from == null || until == null) {
      return new Costs(-1, -1, -1, atRestBytes, stealShare());
    }
    return new Costs(
        until.cpuNanos() - from.cpuNanos(),
        until.residentBytesPeak(),
        until.writtenBytes() - from.writtenBytes(),
        atRestBytes,
        stealShare());
  }

  /// Null when no process is watched, or one has ended.
  private @Nullable ProcessReading read() {
    if (pids.isEmpty()) {
      return null;
    }
    try {
      return ProcessReading.of(pids);
    } catch (IOException ended) {
      return null;
    }
  }

  private static long[] jiffies() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/stat"))) {
      String[] fields = lines.findFirst().orElse("cpu").split(" +", -1);
      long[] jiffies = new long[Math.min(JIFFIES_LIMIT, fields.length - 1)];
      for (int i = 0; i < jiffies.length; i++) {
        jiffies[i] = Long.parseLong(fields[i + 1]);
      }
      return jiffies;
    } catch (IOException notLinux) {
      return new long[0];
    }
  }

  private double stealShare() {
    if (machineFirst.length <= STEAL || machineLast.length <= STEAL) {
      return 0;
    }
    long all = 0;
    for (int i = 0; i < machineLast.length; i++) {
      all += machineLast[i] - machineFirst[i];
    }
    return all == 0 ? 0 : (machineLast[STEAL] - machineFirst[STEAL]) / (double) all;
  }

  /// Sum of all file lengths below it; a file deleted meanwhile counts as 0.
  public static long bytesBelow(Path directory) {
    try (Stream<Path> files = Files.walk(directory)) {
      return files.filter(Files::isRegularFile).mapToLong(CostWatcher::size).sum();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static long size(Path file) {
    try {
      return Files.size(file);
    } catch (NoSuchFileException merged) {
      return 0;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }
}
