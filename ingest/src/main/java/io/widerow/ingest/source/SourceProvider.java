package io.widerow.ingest.source;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.doctor.Finding;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import io.widerow.query.forward.KafkaAccess;
import io.widerow.storage.SharedSources;
import java.util.List;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;

/// Reads a log with the client of another module. `ServiceLoader` finds it when the key of a source
/// is set; without one the daemon loads no class of that module.
public interface SourceProvider {
  /// Starts to read. An absent broker is no error: its source waits for it.
  ///
  /// @param options of each source
  /// @param access whom to trust among the brokers, and the credentials for them
  /// @param formats the decoders of the HTTP endpoints
  /// @param group of the offsets that are committed for other tools, or of the daemons that share
  ///   topics, when the options name none
  /// @param shared the positions that the daemons of a cluster share; null on one machine
  /// @throws IllegalArgumentException with the key in it, when a format refuses a parameter, or the
  ///   client a property
  Source start(
      List<KafkaOptions> options,
      KafkaAccess access,
      Intake intake,
      RecordFormats formats,
      MeterRegistry registry,
      String group,
      @Nullable SharedSources shared);

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

    /// Renews its metrics and findings. Called about once a second, by one thread.
    void look();

    /// What an operator should check.
    List<Finding> findings();

    /// Clears the lists of gaps soon.
    ///
    /// @return the number of gaps that are listed
    long seen();

    /// Ends their threads, after the batches in progress have their outcomes.
    @Override
    void close();
  }
}
