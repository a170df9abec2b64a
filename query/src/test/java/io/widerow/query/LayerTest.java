package io.widerow.query;

import io.widerow.house.LayerRules;

/// The walls of the query module: which package may import which, and what of the store. Of other
/// modules only packages that have a row may be imported: they are exported.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      rollup: event
      storage: event rollup
      storage.sketch:
      storage.text:
      storage.embedded: event storage
      storage.repair: event storage
      query: event rollup storage
      query.json:
      query.text:
      query.filter: event storage query query.text
      query.output: event query
      query.aggregation: event rollup storage storage.sketch query query.output
      query.sizing: event storage query
      query.remote: event storage query query.json query.output query.aggregation
      query.result: event rollup storage query query.filter query.output query.aggregation
      query.logql: query
      query.logql.line: event query.json query.logql
      query.survey: event storage query query.filter query.output query.result
      query.fields: event storage storage.sketch query query.filter query.output query.result \
          query.survey
      query.patterns: event storage storage.sketch storage.text query query.output query.result \
          query.survey
      query.logql.run: event storage query query.output query.result query.aggregation query.logql \
          query.logql.line query.survey query.fields query.patterns
      query.series: event storage storage.sketch query query.logql query.survey
      query.parquet: event storage query query.output query.remote
      query.export: event storage query query.output query.remote query.result query.parquet
      cql:
      cql.type: event query.json query.output cql
      cql.function: cql cql.type
      cql.parse: cql cql.type
      cql.schema: cql cql.type cql.parse
      table:
      cql.key: table cql cql.type cql.schema
      cql.table: table cql cql.type cql.function cql.parse cql.schema cql.key
      cql.change: table cql cql.type cql.schema cql.key cql.table
      cql.define: table cql cql.type cql.parse cql.schema cql.key cql.table cql.change
      cql.plan: query.json query.output cql cql.type cql.function cql.parse cql.schema \
          cql.key cql.change cql.define
      cql.system: cql.type cql.schema cql.define
      cql.events: event storage storage.sketch query query.aggregation cql cql.type cql.parse \
          cql.schema
      query.cli: event storage storage.embedded storage.repair table cql cql.schema cql.define \
          cql.table query query.output query.aggregation query.remote query.result
      query.cli.daemon: query query.output query.aggregation query.sizing query.remote query.cli
      query.cli.cql: query query.output query.aggregation query.remote query.cli cql cql.type
      query.cli.export: event storage query query.output query.remote query.export query.cli
      """;

  LayerTest() {
    super(TABLE, "query.remote", "query.output");
  }
}
