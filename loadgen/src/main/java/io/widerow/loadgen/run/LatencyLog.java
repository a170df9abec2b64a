package io.widerow.loadgen.run;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

/// A run's response times, second by second, as an HdrHistogram log. Any tool for such logs can
/// cut, sum and plot it.
///
/// - Threads: the run's watching thread; any thread may close it afterwards.
/// - Units: nanoseconds in the histograms.
public final class LatencyLog implements RunWatcher, AutoCloseable {
  private final PrintStream out;
  private final HistogramLogWriter log;

  public LatencyLog(Path file) throws IOException {
    out = new PrintStream(Files.newOutputStream(file), false, StandardCharsets.UTF_8);
    log = new HistogramLogWriter(out);
    log.outputLogFormatVersion();
    log.outputLegend();
  }

  @Override
  public void interval(Histogram response) {
    if (response.getTotalCount() > 0) {
      log.outputIntervalHistogram(response);
    }
  }

  /// @throws IOException when a part of the log could not be written
  @Override
  public void close() throws IOException {
    boolean failed = out.checkError();
    out.close();
    if (failed) {
      throw new IOException("the log of response times could not be written");
    }
  }
}
