package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.source.SourceProvider;
import java.util.logging.Level;
import java.util.logging.Logger;

/// The provider that `META-INF/services` names.
public final class KafkaProvider implements SourceProvider {
  /// Of the client, which logs its whole configuration at a lower level. Held, so that the level
  /// stays.
  private static final Logger CLIENT_LOG = Logger.getLogger("org.apache.kafka");

  @Override
  public Source start(
      KafkaOptions options,
      Intake intake,
      RecordFormats formats,
      MeterRegistry registry,
      String group) {
    CLIENT_LOG.setLevel(Level.WARNING);
    String named = options.group().isEmpty() ? group : options.group();
    var decoding = new RecordDecoding(options, intake.lanes(), formats);
    var source = new KafkaSource(new KafkaPoller(options, named, intake, decoding));
    source.measure(registry);
    source.start();
    return source;
  }
}
