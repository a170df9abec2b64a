package io.widerow.ingest.kafka;

import io.widerow.house.LayerRules;

/// The walls of the module of Kafka: what of the modules below it imports. No other module imports
/// Kafka's client.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      storage:
      query:
      query.forward: query
      ingest.decode:
      ingest.config:
      ingest.lane:
      ingest.intake:
      ingest.http:
      ingest.doctor:
      ingest.source:
      ingest.kafka: event storage query query.forward ingest.decode ingest.config ingest.lane \
          ingest.intake ingest.http ingest.doctor ingest.source
      """;

  LayerTest() {
    super(TABLE, "ingest.kafka", "ingest.source");
  }
}
