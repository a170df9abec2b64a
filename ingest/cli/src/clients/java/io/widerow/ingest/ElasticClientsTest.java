package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/// Goal: what clients of Elasticsearch send is stored once and unchanged. Method: Elastic's clients
/// for Node and Python, and rsyslog, against a daemon.
@Tag("process")
class ElasticClientsTest extends ClientDaemon {
  private static final List<Integer> THOUSAND = IntStream.range(0, 1_000).boxed().toList();

  @Test
  void elasticsearchForNode() throws IOException, InterruptedException {
    assertEquals(
        "{\"version\":\"8.19.0\",\"total\":1000,\"successful\":1000,\"failed\":0,\"retry\":0,"
            + "\"errors\":true,\"statuses\":[201,400]}\n",
        node("elasticsearch.mjs", url()));
    List<String> lines = stored("type=js");
    assertEquals(THOUSAND, numbers(lines));
    assertEquals(
        List.of(
            "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"js\",\"body\":\"event 0\","
                + "\"_index\":\"js-2026.01.02\",\"n\":0}",
            "{\"ts\":\"2026-01-02T03:04:05.001000000Z\",\"type\":\"js\",\"body\":\"event 1\","
                + "\"_id\":\"id-1\",\"_index\":\"js-2026.01.02\",\"n\":1}"),
        lines.stream().limit(2).map(line -> without(line, "id")).toList());
    assertEquals(
        "{\"ts\":\"2026-01-02T03:04:05.123456789Z\",\"type\":\"kinds\","
            + "\"body\":\"one \u00fc \\\"q\\\"\",\"ok\":true,\"ratio\":0.25,\"user.id\":7,"
            + "\"user.tags\":\"[\\\"a\\\",\\\"b\\\"]\"}",
        without(stored("type=kinds").getFirst(), "id"));
  }

  @Test
  void elasticsearchForPython() throws IOException, InterruptedException {
    String said =
        python(
            "elasticsearch",
            """
            from elasticsearch import Elasticsearch, helpers
            client = Elasticsearch(['%s'])
            print(client.info()['version']['number'], client.ping())
            print(helpers.bulk(client, ({
              '_index': 'py-2026.01.02', '_op_type': 'create' if n %% 2 else 'index',
              **({} if n %% 2 else {'_id': 'id-%%d' %% n}),
              '@timestamp': 1767323045000 + n, 'n': n, 'message': 'event %%d' %% n
            } for n in range(1000)), chunk_size=100))
            stored, errors = helpers.bulk(
              client, [{'_op_type': 'delete', '_index': 'py', '_id': 'x'}], raise_on_error=False)
            print(stored, [error['delete']['status'] for error in errors])
            """
                .formatted(url()));
    assertTrue(said.endsWith("8.19.0 True\n(1000, [])\n0 [400]\n"), said);
    List<String> lines = stored("type=py");
    assertEquals(THOUSAND, numbers(lines));
    assertEquals(
        "{\"ts\":\"2026-01-02T03:04:05.000000000Z\",\"type\":\"py\",\"body\":\"event 0\","
            + "\"_id\":\"id-0\",\"_index\":\"py-2026.01.02\",\"n\":0}",
        without(lines.getFirst(), "id"));
  }

  @Test
  void rsyslog() throws IOException, InterruptedException {
    requireProgram("rsyslogd", "rsyslog rsyslog-elasticsearch");
    Path in = directory.resolve("in.log");
    List<String> lines =
        IntStream.range(0, 200)
            .mapToObj(i -> "request " + i + " took [" + i + " ms] \u00fc")
            .toList();
    Files.write(in, lines);
    Path config = directory.resolve("rsyslog.conf");
    Files.writeString(
        config,
        """
        global(workDirectory="%1$s")
        module(load="imfile")
        module(load="omelasticsearch")
        input(type="imfile" File="%2$s" Tag="shop:" Severity="notice" Facility="local3")
        template(name="document" type="list") {
          constant(value="{\\"@timestamp\\":\\"") property(name="timereported" dateFormat="rfc3339")
          constant(value="\\",\\"message\\":\\"") property(name="msg" format="json")
          constant(value="\\",\\"app\\":\\"") property(name="programname" format="json")
          constant(value="\\"}")
        }
        template(name="index" type="string" string="rsyslog-%%$YEAR%%.%%$MONTH%%.%%$DAY%%")
        action(type="omelasticsearch" server="127.0.0.1" serverport="%3$d" template="document"
               searchIndex="index" dynSearchIndex="on" searchType="" bulkmode="on"
               action.resumeRetryCount="-1")
        """
            .formatted(directory, in, httpPort()));
    String pid = directory.resolve("rsyslog.pid").toString();
    try (var _ = started("rsyslogd", "-n", "-f", config.toString(), "-i", pid)) {
      List<String> stored = awaitStored(200, "type=rsyslog");
      assertEquals(200, stored.size());
      List<String> bodies =
          stored.stream().map(line -> line.replaceAll(".*\"body\":\"([^\"]*)\".*", "$1")).toList();
      assertEquals(new TreeSet<>(lines), new TreeSet<>(bodies));
      assertTrue(stored.getFirst().contains("\"app\":\"shop\""), stored.getFirst());
    }
  }
}
