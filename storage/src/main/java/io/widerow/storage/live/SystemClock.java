package io.widerow.storage.live;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;

/// The machine's clocks.
///
/// - Threads: any.
final class SystemClock implements StoreClock {
  /// Seconds since the boot, those of sleep included, as Linux counts them.
  private static final Path UPTIME = Path.of("/proc/uptime");

  private static final long NANOS_PER_SECOND = 1_000_000_000L;

  private volatile long asleepNanos;

  @Override
  public long wallNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * NANOS_PER_SECOND + now.getNano();
  }

  @Override
  public long monotonicNanos() {
    return System.nanoTime();
  }

  /// Where the operating system does not report it, sleep is not seen: after it the clock seems to
  /// jump.
  @Override
  public long asleepNanos() {
    try {
      String seconds = Files.readString(UPTIME).split(" ", 2)[0];
      long up = (long) (Double.parseDouble(seconds) * NANOS_PER_SECOND);
      asleepNanos = up - System.nanoTime();
    } catch (IOException | NumberFormatException untold) {
      return asleepNanos;
    }
    return asleepNanos;
  }
}
