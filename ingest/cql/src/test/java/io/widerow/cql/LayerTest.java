package io.widerow.cql;

import io.widerow.house.LayerRules;

/// The walls of the module of CQL: which package may import which, and what of the modules below.
/// Only `cql.engine` reads and writes files of the store, and only `cql.server` talks to the
/// daemon.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      storage:
      storage.disk:
      storage.codec:
      storage.sketch:
      storage.journal:
      storage.rows:
      storage.manifest:
      storage.live:
      storage.maintenance:
      storage.recovery:
      storage.embedded:
      query:
      query.json:
      query.output:
      query.aggregation:
      query.result:
      ingest.decode:
      ingest.config:
      ingest.lane:
      ingest.intake:
      ingest.socket:
      cql.store:
      cql.fragment: storage storage.codec storage.journal cql.store
      cql.tablestats: storage.codec
      cql.engine: storage storage.disk storage.codec storage.journal storage.rows \
          storage.manifest storage.live storage.maintenance storage.recovery storage.embedded \
          cql.store cql.fragment cql.tablestats
      cql:
      cql.type: event query.json query.output cql
      cql.function: cql cql.type
      cql.parse: cql cql.type
      cql.schema: cql cql.type cql.parse
      cql.key: cql.store cql cql.type cql.schema
      cql.table: cql.store cql cql.type cql.function cql.parse cql.schema cql.key
      cql.change: cql.store cql cql.type cql.schema cql.key cql.table
      cql.define: cql.store cql cql.type cql.parse cql.schema cql.key cql.table cql.change
      cql.plan: query.json query.output cql cql.type cql.function cql.parse cql.schema cql.key \
          cql.change cql.define
      cql.system: cql.type cql.schema cql.define
      cql.events: event storage storage.sketch query query.aggregation query.result cql cql.type \
          cql.parse cql.schema
      cql.protocol: ingest.intake cql cql.type cql.plan
      cql.server: event storage storage.embedded query ingest.decode ingest.config ingest.lane \
          ingest.intake ingest.socket cql.store cql.engine cql cql.type cql.parse cql.schema \
          cql.define cql.plan cql.system cql.events cql.protocol
      """;

  LayerTest() {
    super(TABLE, "cql.plan", "cql.parse");
  }
}
