package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.influxdb.client.InfluxDBClient;
import com.influxdb.client.InfluxDBClientFactory;
import com.influxdb.client.WriteApiBlocking;
import com.influxdb.client.domain.WritePrecision;
import com.influxdb.client.write.Point;
import com.influxdb.exceptions.BadRequestException;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: events from widely used programs are stored and read back unchanged. Method: the programs
/// themselves, against a daemon with a store on disk. When a program is missing, its test is
/// skipped and names the Debian package.
@Tag("process")
class ClientsTest extends ClientDaemon {
  @ParameterizedTest
  @CsvSource({
    "udp, --udp",
    "tcp, --tcp",
    "udp 3164, --udp --rfc3164",
    "tcp 3164, --tcp --rfc3164",
    "udp 5424, --udp --rfc5424",
    "tcp 5424, --tcp --rfc5424",
    "counted, --tcp --octet-count",
    "counted 3164, --tcp --octet-count --rfc3164",
    "no quality, --tcp --rfc5424=notq",
    "no time, --tcp --rfc5424=notime",
    "no host, --tcp --rfc5424=nohost",
    "with a pid, --tcp --id=4711",
    "with an id, --tcp --rfc5424 --msgid LOGIN"
  })
  void logger(String form, String options) throws IOException, InterruptedException {
    requireProgram("logger", "bsdutils");
    List<String> command = new ArrayList<>(List.of("logger", "--server", "127.0.0.1"));
    command.addAll(List.of("--port", Integer.toString(port("syslog"))));
    command.addAll(List.of("--priority", "local0.warning", "--tag", "widerow-test"));
    command.addAll(List.of(options.split(" ", -1)));
    String text = form + ": \"quoted\" [brackets] a=b \\ ü";
    command.addAll(List.of("--", text));
    String _ = run("", command.toArray(String[]::new));
    String line = awaitStored(1, "type=syslog").getFirst();
    assertTrue(line.contains("\"body\":\"" + text.replaceAll("[\\\\\"]", "\\\\$0") + "\""), line);
    assertTrue(line.contains("\"app\":\"widerow-test\""), line);
    assertTrue(line.contains("\"facility\":16,") && line.contains("\"severity\":4"), line);
    assertTrue(!options.contains("4711") || line.contains("\"pid\":\"4711\""), line);
    assertTrue(!options.contains("LOGIN") || line.contains("\"msgid\":\"LOGIN\""), line);
  }

  @Test
  void loggerWithStructuredDataAndManyLines() throws IOException, InterruptedException {
    requireProgram("logger", "bsdutils");
    String port = Integer.toString(port("syslog"));
    String _ =
        run(
            "",
            "logger",
            "--server",
            "127.0.0.1",
            "--port",
            port,
            "--tcp",
            "--rfc5424",
            "--sd-id",
            "zoo@123",
            "--sd-param",
            "tiger=\"hungry\"",
            "--sd-param",
            "zebra=\"running\"",
            "--",
            "structured");
    String line = awaitStored(1, "type=syslog").getFirst();
    assertTrue(line.contains("\"zoo@123.tiger\":\"hungry\""), line);
    assertTrue(line.contains("\"zoo@123.zebra\":\"running\""), line);
    List<String> lines = IntStream.range(0, 500).mapToObj(i -> "line " + i + " of many").toList();
    String _ =
        run(String.join("\n", lines), "logger", "--server", "127.0.0.1", "--port", port, "--tcp");
    List<String> bodies = bodies(awaitStored(501, "type=syslog"));
    assertEquals(new TreeSet<>(lines), new TreeSet<>(bodies.subList(1, 501)));
  }

  private static List<String> bodies(List<String> lines) {
    return lines.stream()
        .map(line -> line.replaceAll(".*\"body\":\"((?:[^\"\\\\]|\\\\.)*)\".*", "$1"))
        .toList();
  }

  @ParameterizedTest
  @CsvSource({
    "tcp, RSYSLOG_SyslogProtocol23Format, octet-counted",
    "tcp, RSYSLOG_SyslogProtocol23Format, traditional",
    "tcp, RSYSLOG_ForwardFormat, traditional",
    "tcp, RSYSLOG_TraditionalForwardFormat, traditional",
    "udp, RSYSLOG_SyslogProtocol23Format, traditional"
  })
  void rsyslog(String protocol, String template, String framing)
      throws IOException, InterruptedException {
    requireProgram("rsyslogd", "rsyslog");
    Path in = directory.resolve("in.log");
    List<String> lines =
        IntStream.range(0, 200).mapToObj(i -> "request " + i + " took [" + i + " ms] ü").toList();
    Files.write(in, lines);
    Path config = directory.resolve("rsyslog.conf");
    Files.writeString(
        config,
        """
        global(workDirectory="%1$s")
        module(load="imfile")
        input(type="imfile" File="%2$s" Tag="shop:" Severity="notice" Facility="local3")
        action(type="omfwd" Target="127.0.0.1" Port="%3$d" Protocol="%4$s"
               Template="%5$s" TCP_Framing="%6$s" action.resumeRetryCount="-1")
        """
            .formatted(directory, in, port("syslog"), protocol, template, framing));
    String pid = directory.resolve("rsyslog.pid").toString();
    try (var _ = started("rsyslogd", "-n", "-f", config.toString(), "-i", pid)) {
      List<String> stored = awaitStored(200, "type=syslog&where=app=%22shop%22");
      assertEquals(200, stored.size());
      assertEquals(new TreeSet<>(lines), new TreeSet<>(bodies(stored)));
      assertTrue(stored.getFirst().contains("\"facility\":19,"), stored.getFirst());
      assertTrue(stored.getFirst().contains("\"severity\":5"), stored.getFirst());
    }
  }

  @Test
  void influxClientJava() throws IOException, InterruptedException {
    String url = url();
    try (InfluxDBClient influx =
        InfluxDBClientFactory.create(url, "token".toCharArray(), "org", "bucket")) {
      assertTrue(influx.ping());
      WriteApiBlocking api = influx.getWriteApiBlocking();
      api.writePoint(
          Point.measurement("cpu load")
              .addTag("host", "a b,c=d")
              .addField("busy", 0.5)
              .addField("count", 9_007_199_254_740_993L)
              .addField("note", "say \"hi\" \\ there")
              .addField("up", true)
              .time(1_700_000_000_123_456_789L, WritePrecision.NS));
      influx.enableGzip();
      api.writePoints(IntStream.range(0, 100).mapToObj(i -> point(i, 1_700_000_000L + i)).toList());
      var bad =
          assertThrows(
              BadRequestException.class,
              () -> api.writeRecord(WritePrecision.NS, "m i=1 1700000000000000000\nm i= 5"));
      assertTrue(String.valueOf(bad.getMessage()).contains("partial write"), bad.getMessage());
    }
    assertEquals(
        "{\"ts\":\"2023-11-14T22:13:20.123456789Z\",\"type\":\"cpu load\",\"busy\":0.5,"
            + "\"count\":9007199254740993,\"host\":\"a b,c=d\","
            + "\"note\":\"say \\\"hi\\\" \\\\ there\",\"up\":true}",
        without(stored("type=cpu+load").getFirst(), "id"));
    assertEquals(101, stored("type=m").size());
    assertEquals(1, stored("type=m&where=i=99").size());
  }

  private static Point point(int number, long epochSeconds) {
    return Point.measurement("m").addField("i", number).time(epochSeconds, WritePrecision.S);
  }

  @Test
  void influxClientPython() throws IOException, InterruptedException {
    String said =
        python(
            "influxdb",
            """
            from influxdb import InfluxDBClient
            client = InfluxDBClient('127.0.0.1', %d, database='x', gzip=False)
            print(client.ping())
            print(client.write_points([
              {'measurement': 'cpu', 'tags': {'host': 'a b'}, 'time': 1700000000123 + i,
               'fields': {'busy': 0.25, 'n': i, 'note': 'say "hi"', 'up': True}}
              for i in range(100)], time_precision='ms', batch_size=30))
            """
                .formatted(httpPort()));
    assertTrue(said.endsWith("True\n"), said);
    List<String> lines = stored("type=cpu");
    assertEquals(100, lines.size());
    assertEquals(
        "{\"ts\":\"2023-11-14T22:13:20.123000000Z\",\"type\":\"cpu\",\"busy\":0.25,"
            + "\"host\":\"a b\",\"n\":0,\"note\":\"say \\\"hi\\\"\",\"up\":true}",
        without(lines.getFirst(), "id"));
  }

  @Test
  void curl() throws IOException, InterruptedException {
    requireProgram("curl", "curl");
    String url = url();
    String json =
        "{\"ts\":\"2026-11-20T19:00:00.000123Z\",\"body\":\"hello\",\"user\":{\"id\":7}}\n";
    String accepted = "{\"accepted\":1,\"rejected\":[],\"durability\":\"disk\"}\n";
    assertEquals(
        accepted,
        run(
            json,
            "curl",
            "-sS",
            "-H",
            "content-type: application/x-ndjson",
            "--data-binary",
            "@-",
            url + "/v1/events?type=app"));
    Path packed = directory.resolve("lines.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(packed))) {
      String line = "h - - [17/May/2015:10:05:03 +0000] \"GET /\" 200 5\n";
      out.write(line.getBytes(StandardCharsets.UTF_8));
    }
    assertEquals(
        accepted,
        run(
            "",
            "curl",
            "-sS",
            "-H",
            "content-type: text/plain",
            "-H",
            "content-encoding: gzip",
            "--data-binary",
            "@" + packed,
            url + "/v1/events?type=nginx&ts=clf"));
    assertEquals(
        "204",
        run(
            "cpu,host=a usage=0.5 1700000000000000000\n",
            "curl",
            "-sS",
            "-o",
            directory.resolve("none").toString(),
            "-w",
            "%{http_code}",
            "--data-binary",
            "@-",
            url + "/api/v2/write"));
    String all = run("", "curl", "-sS", url + "/v1/query?order=desc");
    assertEquals(
        List.of(
            "{\"ts\":\"2026-11-20T19:00:00.000123000Z\",\"type\":\"app\",\"body\":\"hello\","
                + "\"user.id\":7}",
            "{\"ts\":\"2023-11-14T22:13:20.000000000Z\",\"type\":\"cpu\",\"host\":\"a\","
                + "\"usage\":0.5}",
            "{\"ts\":\"2015-05-17T10:05:03.000000000Z\",\"type\":\"nginx\",\"body\":"
                + "\"h - - [17/May/2015:10:05:03 +0000] \\\"GET /\\\" 200 5\"}"),
        all.lines().limit(3).map(line -> without(line, "id")).toList());
  }
}
