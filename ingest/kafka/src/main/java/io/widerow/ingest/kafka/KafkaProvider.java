package io.widerow.ingest.kafka;

import io.micrometer.core.instrument.MeterRegistry;
import io.widerow.ingest.config.KafkaOptions;
import io.widerow.ingest.http.RecordFormats;
import io.widerow.ingest.intake.Intake;
import io.widerow.ingest.source.SourceProvider;
import io.widerow.query.forward.KafkaAccess;
import io.widerow.storage.SharedSources;
import java.util.ArrayList;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The provider that `META-INF/services` names.
public final class KafkaProvider implements SourceProvider {
  /// Of the client, which logs its whole configuration at a lower level. Held, so that the level
  /// stays.
  private static final Logger CLIENT_LOG = Logger.getLogger("org.apache.kafka");

  @Override
  public Source start(
      List<KafkaOptions> options,
      KafkaAccess access,
      Intake intake,
      RecordFormats formats,
      MeterRegistry registry,
      String group,
      @Nullable SharedSources shared) {
    CLIENT_LOG.setLevel(Level.WARNING);
    int pollers = options.stream().mapToInt(KafkaOptions::readers).sum();
    SourceShares shares = new SourceShares(intake.credit(), pollers, intake.lanes().positions());
    List<KafkaSource> sources = new ArrayList<>();
    for (KafkaOptions each : options) {
      try {
        sources.add(KafkaSource.of(each, access, group, intake, formats, shares, shared));
      } catch (IllegalArgumentException wrong) {
        sources.forEach(KafkaSource::drop);
        throw new IllegalArgumentException(each.key() + ": " + wrong.getMessage(), wrong);
      }
    }
    sources.forEach(source -> source.measure(intake, registry));
    sources.forEach(KafkaSource::start);
    return new KafkaSources(sources);
  }
}
