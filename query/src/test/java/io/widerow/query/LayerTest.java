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
      storage.rollup:
      storage.text:
      storage.embedded: event storage
      storage.repair: event storage
      query: event rollup storage
      query.json:
      query.text:
      query.filter: event storage query query.text
      query.output: event query
      query.figures: event rollup storage storage.rollup query query.output
      query.sizing: event storage query
      query.remote: event storage query query.json query.output query.figures
      query.answer: event rollup storage query query.filter query.output query.figures
      query.logql: query
      query.logql.line: event query.json query.logql
      query.survey: event storage query query.filter query.output query.answer
      query.fields: event storage storage.rollup query query.filter query.output query.answer \
          query.survey
      query.patterns: event storage storage.rollup storage.text query query.output query.answer \
          query.survey
      query.logql.run: event storage query query.output query.answer query.figures query.logql \
          query.logql.line query.survey query.fields query.patterns
      query.series: event storage storage.rollup query query.logql query.survey
      query.parquet: event storage query query.output query.remote
      query.export: event storage query query.output query.remote query.answer query.parquet
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
      cql.events: event storage storage.rollup query query.figures cql cql.type cql.parse cql.schema
      query.cli: event storage storage.embedded storage.repair table cql cql.schema cql.define \
          cql.table query query.output query.figures query.remote query.answer
      query.cli.daemon: query query.output query.figures query.sizing query.remote query.cli
      query.cli.cql: query query.output query.figures query.remote query.cli cql cql.type
      query.cli.export: event storage query query.output query.remote query.export query.cli
      """;

  LayerTest() {
    super(TABLE, "query.remote", "query.output");
  }
}
