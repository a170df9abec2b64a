package io.widerow.ingest.source;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import java.util.List;
import java.util.ServiceLoader;

/// Reads a log with the client of another module. `ServiceLoader` finds it when the key of a source
/// is set; without one the daemon loads no class of that module.
public interface SourceProvider {
  /// Starts to read. An absent broker is no error: its source waits for it.
  ///
  /// @param options of each source
  /// @param formats the decoders of the HTTP endpoints
  /// @param group of the offsets that are committed for other tools, when the options name none
  /// @throws IllegalArgumentException with the key in it, when a format refuses a parameter
  Source start(
      List<KafkaOptions> options,
      Intake intake,
      RecordFormats formats,
      MeterRegistry registry,
      String group);

  /// The provider on the class path.
  ///
  /// @throws IllegalArgumentException when there is none
  static SourceProvider found() {
    return ServiceLoader.load(SourceProvider.class, SourceProvider.class.getClassLoader())
        .findFirst()
        .orElseThrow(() ->
            new IllegalArgumentException(
                "kafka: the jar of its module is not on the class path; add it"));
  }

  /// All sources that are read.
  ///
  /// - Order: [#close] before the lanes are closed.
  interface Source extends AutoCloseable {
    /// Their partitions, each as a JSON object.
    List<String> partitions();

    /// Each source as a JSON object, with commas between them.
    String summary();

    /// Ends their threads, after the batches in progress have their outcomes.
    @Override
    void close();
  }
}
