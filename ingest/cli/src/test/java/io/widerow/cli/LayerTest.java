package io.widerow.cli;

import io.widerow.house.LayerRules;

/// The walls of the module of commands: which package may import which, and what of the modules
/// below. Only `cli.cql` and the checks of a stopped store import CQL.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      cql.store:
      storage:
      storage.embedded:
      storage.repair:
      storage.objects:
      query:
      query.filter:
      query.output:
      query.aggregation:
      query.sizing:
      query.remote:
      query.promql.run:
      query.result:
      query.parquet:
      query.export:
      query.forward:
      query.json:
      cql:
      cql.type:
      cql.schema:
      cql.table:
      cql.define:
      storage.cassandra.keyspace:
      storage.cassandra.migrate:
      storage.cassandra.maintenance:
      storage.cassandra.read:
      storage.cassandra.apply:
      storage.cassandra:
      ingest.decode:
      ingest.alert:
      ingest.config:
      ingest.transform:
      ingest.http:
      ingest.socket:
      ingest.receive.json:
      ingest.serve.reply:
      ingest:
      cli: event cql.store storage storage.embedded storage.repair query query.output \
          query.aggregation query.remote query.result query.promql.run query.forward cql \
          cql.schema \
          cql.table cql.define
      cli.remote: storage query query.output query.aggregation query.sizing query.remote cli
      cli.cql: query query.output query.aggregation query.remote cql cql.type cli
      cli.backup: ingest.config query query.output query.remote storage.objects cli
      cli.export: event storage query query.output query.remote query.export cli
      cli.cluster: event storage query query.filter storage.cassandra.keyspace \
          storage.cassandra.migrate \
          storage.cassandra.maintenance storage.cassandra.read storage.cassandra.apply \
          storage.cassandra ingest.config cli
      cli.ship: event storage query query.output query.remote query.parquet query.export \
          query.json ingest.decode cli
      cli.serve: storage storage.embedded query query.output ingest.alert ingest.config \
          ingest.transform ingest.receive.json ingest.socket ingest.serve.reply ingest cli \
          cli.cluster
      cli.demo: storage storage.embedded ingest.config ingest.http ingest cli cli.serve cli.backup
      """;

  LayerTest() {
    super(TABLE, "cli.remote", "cli");
  }
}
