package io.widerow.loadgen.run;

import io.widerow.loadgen.format.Quantity;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/// Counters that Linux keeps for a process, or sums of them over several.
///
/// @param cpuNanos user and system time of all its threads
/// @param residentBytesPeak the most memory it ever had
/// @param writtenBytes bytes it caused to be written to a disk
public record ProcessReading(
    long atNanos, long cpuNanos, long residentBytes, long residentBytesPeak, long writtenBytes) {
  private static final long TICK_NANOS = 10 * Quantity.MILLI; // USER_HZ is 100 for every program
  private static final int USER_TIME = 11; // fields after the program's name
  private static final int SYSTEM_TIME = 12;

  /// Of no process.
  public static final ProcessReading NONE = new ProcessReading(0, 0, 0, 0, 0);

  /// Of several processes together.
  ///
  /// @param pids one at least
  /// @throws IOException when one of them is not there, or is another user's
  public static ProcessReading of(List<Long> pids) throws IOException {
    ProcessReading all = of(pids.getFirst());
    for (long pid : pids.subList(1, pids.size())) {
      all = all.plus(of(pid));
    }
    return all;
  }

  ProcessReading plus(ProcessReading other) {
    return new ProcessReading(
        atNanos,
        cpuNanos + other.cpuNanos,
        residentBytes + other.residentBytes,
        residentBytesPeak + other.residentBytesPeak,
        writtenBytes + other.writtenBytes);
  }

  /// @throws IOException when there is no such process, or it is another user's
  public static ProcessReading of(long pid) throws IOException {
    Path directory = Path.of("/proc", Long.toString(pid));
    String stat = Files.readString(directory.resolve("stat"));
    String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ", -1);
    long ticks = Long.parseLong(fields[USER_TIME]) + Long.parseLong(fields[SYSTEM_TIME]);
    String status = Files.readString(directory.resolve("status"));
    return new ProcessReading(
        System.nanoTime(),
        ticks * TICK_NANOS,
        number(status, "VmRSS:") << 10,
        number(status, "VmHWM:") << 10,
        number(Files.readString(directory.resolve("io")), "\nwrite_bytes:"));
  }

  private static long number(String text, String name) {
    int found = text.indexOf(name);
    if (found < 0) {
      return 0;
    }
    String rest = text.substring(found + name.length()).stripLeading();
    int end = 0;
    while (end < rest.length() && Character.isDigit(rest.charAt(end))) {
      end++;
    }
    return Long.parseLong(rest.substring(0, end));
  }
}
