package io.widerow.ingest;

import io.widerow.house.LayerRules;

/// The walls of the daemon: which package may import which. No protocol imports another. Of other
/// modules only packages that have a row may be imported: they are exported.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      event:
      rollup: event
      storage: event
      storage.sketch:
      storage.text:
      storage.maintenance:
      storage.embedded: event storage
      storage.objects:
      query: event storage
      query.text:
      query.json:
      query.logql: query
      query.parse: event storage storage.sketch query query.text
      query.filter: event storage query query.text query.parse
      query.output: event query
      query.aggregation: event storage query query.output
      query.sizing: event storage query
      query.remote: event storage query query.output query.aggregation
      query.result: event storage query query.output query.aggregation
      query.logql.line: event query.logql
      query.survey: event storage query query.output query.result
      query.fields: event storage storage.sketch query query.filter query.output query.result \
          query.survey
      query.patterns: event storage storage.sketch storage.text query query.output query.result \
          query.survey
      query.logql.run: event storage query query.output query.logql query.logql.line \
          query.survey query.fields query.patterns
      query.series: event storage storage.sketch query query.logql query.survey
      query.promql: query.logql
      query.promql.run: query query.logql query.series query.promql
      query.parquet: event storage query query.output query.remote
      query.export: event storage query query.output query.remote query.result query.parquet
      query.forward: event storage query query.output query.result
      ingest.decode: event
      ingest.series: event ingest.decode
      ingest.config: event storage storage.maintenance storage.objects query query.forward \
          query.result ingest.decode
      ingest.lane: event storage ingest.decode
      ingest.transform: event storage query query.text query.filter query.parse query.output \
          ingest.decode ingest.config ingest.lane
      ingest.intake: event ingest.decode ingest.lane
      ingest.http: event storage ingest.decode ingest.config ingest.lane ingest.intake
      ingest.socket: event storage query ingest.decode ingest.config ingest.lane ingest.intake
      ingest.receive.influx: event storage ingest.decode ingest.series ingest.lane ingest.http
      ingest.receive.fluent: event storage ingest.decode ingest.lane ingest.intake ingest.socket
      ingest.receive.datadog: event ingest.decode ingest.config ingest.lane ingest.http
      ingest.receive.elastic: event ingest.decode ingest.config ingest.lane ingest.http
      ingest.receive.gelf: event storage ingest.decode ingest.lane ingest.intake ingest.http \
          ingest.socket
      ingest.receive.graphite: event storage ingest.decode ingest.socket
      ingest.receive.journald: event ingest.decode ingest.http
      ingest.receive.json: event ingest.decode ingest.lane ingest.http
      ingest.receive.loki: event ingest.decode ingest.lane ingest.http
      ingest.receive.splunk: event ingest.decode ingest.lane ingest.http
      ingest.receive.statsd: event storage ingest.decode ingest.socket
      ingest.receive.otlp: event ingest.decode ingest.lane ingest.http
      ingest.receive.prometheus: event storage ingest.decode ingest.series ingest.config \
          ingest.lane ingest.http
      ingest.receive.syslog: event storage query.parse ingest.decode ingest.socket
      ingest.doctor: event rollup storage storage.embedded query query.sizing ingest.lane \
          ingest.intake ingest.http
      ingest.alert: event storage storage.embedded query query.json query.aggregation \
          query.result query.fields query.logql query.logql.line query.logql.run query.series \
          query.promql query.promql.run ingest.decode ingest.config ingest.lane ingest.http
      ingest.source: storage query.forward ingest.config ingest.intake ingest.http ingest.doctor
      ingest.forward: storage query query.forward query.output query.result ingest.config \
          ingest.http ingest.doctor
      ingest.serve.reply: ingest.http
      ingest.serve.query: event storage storage.embedded query query.output query.result \
          query.survey query.export query.fields query.patterns ingest.config ingest.lane \
          ingest.intake ingest.http ingest.serve.reply
      ingest.serve.loki: storage storage.embedded query query.output query.fields \
          query.logql query.logql.line query.logql.run ingest.config ingest.http ingest.serve.reply
      ingest.serve.page: ingest.config ingest.http
      ingest.serve.prometheus: event storage query query.output query.logql query.logql.line \
          query.series query.promql query.promql.run ingest.decode ingest.series ingest.config \
          ingest.http ingest.serve.reply
      ingest.serve.status: event rollup storage storage.maintenance storage.embedded \
          storage.objects query \
          query.sizing query.result query.filter ingest.config ingest.lane ingest.transform \
          ingest.intake ingest.http ingest.doctor ingest.alert ingest.serve.reply query.promql \
          ingest.receive.json ingest.source
      ingest: storage storage.maintenance storage.embedded storage.objects query \
          query.logql.line query.logql.run \
          ingest.decode ingest.config \
          ingest.lane ingest.intake ingest.doctor ingest.http ingest.socket \
          ingest.receive.datadog ingest.receive.elastic ingest.receive.fluent \
          ingest.receive.gelf ingest.receive.graphite ingest.receive.influx \
          ingest.receive.journald ingest.receive.json ingest.receive.loki ingest.receive.otlp \
          ingest.receive.prometheus ingest.receive.splunk ingest.receive.statsd \
          ingest.receive.syslog ingest.source ingest.forward \
          ingest.transform ingest.alert ingest.serve.reply \
          ingest.serve.query ingest.serve.loki ingest.serve.page ingest.serve.prometheus \
          ingest.serve.status
      """;

  LayerTest() {
    super(TABLE, "ingest.receive.json", "ingest.http");
  }
}
