package io.widerow.storage.cassandra;

import io.widerow.house.LayerRules;

/// The walls of the module: which package may import which. Only `keyspace` knows the driver.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      storage: event
      storage.disk: event storage
      storage.cursor: event storage
      storage.segment: event storage storage.disk
      storage.scan: event storage storage.disk storage.segment
      storage.manifest: storage
      storage.live: event storage storage.disk storage.segment
      storage.embedded: storage storage.live
      storage.repair: event storage storage.segment storage.scan
      storage.digest: event
      storage.cassandra.keyspace: event storage
      storage.cassandra.value: event storage storage.disk storage.segment storage.cassandra.keyspace
      storage.cassandra.read: event storage storage.cursor storage.segment storage.scan \
          storage.live storage.cassandra.keyspace storage.cassandra.value
      storage.cassandra.maintenance: event storage storage.cursor storage.segment storage.scan \
          storage.manifest storage.repair storage.cassandra.keyspace storage.cassandra.value
      storage.cassandra.migrate: event storage storage.disk storage.segment storage.manifest \
          storage.live storage.embedded storage.digest storage.cassandra.keyspace \
          storage.cassandra.value
      storage.cassandra.apply: event storage storage.disk storage.live storage.segment \
          storage.embedded storage.cassandra.keyspace storage.cassandra.value
      storage.cassandra: event storage storage.disk storage.live storage.embedded \
          storage.cassandra.keyspace storage.cassandra.read storage.cassandra.maintenance \
          storage.cassandra.apply storage.cassandra.migrate
      """;

  LayerTest() {
    super(TABLE, "storage.cassandra.keyspace", "event");
  }
}
