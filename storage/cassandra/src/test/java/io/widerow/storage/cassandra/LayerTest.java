package io.widerow.storage.cassandra;

import io.widerow.house.LayerRules;

/// The walls of the module: which package may import which. Only `keyspace` knows the driver.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      storage: event
      storage.cassandra.keyspace: event storage
      storage.cassandra:
      """;

  LayerTest() {
    super(TABLE, "storage.cassandra.keyspace", "event");
  }
}
