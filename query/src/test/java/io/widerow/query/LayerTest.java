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
      query: event rollup storage
      query.json:
      query.text:
      query.logql: query query.json
      query.parse: event storage storage.sketch query query.json query.text query.logql
      query.filter: event storage query query.text query.parse
      query.output: event query
      query.aggregation: event rollup storage storage.sketch query query.text query.filter \
          query.output
      query.sizing: event storage query
      query.remote: event storage query query.json query.output query.aggregation
      query.result: event rollup storage query query.filter query.output query.aggregation \
          query.json
      query.logql.line: event query query.output query.logql
      query.survey: event storage query query.filter query.output query.result
      query.fields: event storage storage.sketch query query.filter query.output query.result \
          query.survey
      query.patterns: event storage storage.sketch storage.text query query.output query.result \
          query.survey
      query.logql.run: event rollup storage storage.sketch query query.output \
          query.result query.aggregation query.logql query.logql.line query.survey query.fields \
          query.patterns
      query.series: event storage storage.sketch query query.json query.logql query.survey
      query.promql: query.logql
      query.promql.run: event query query.json query.logql query.logql.line query.series \
          query.promql
      query.parquet: event storage query query.output query.remote
      query.export: event storage query query.output query.remote query.result query.parquet
      query.forward: event storage query query.output query.result
      """;

  LayerTest() {
    super(TABLE, "query.remote", "query.output");
  }
}
