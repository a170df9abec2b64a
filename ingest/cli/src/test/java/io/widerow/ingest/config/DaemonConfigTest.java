package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.cli.serve.ServeCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.AutoComplete;
import picocli.CommandLine;

/// Goal: the configuration has the values of its sources, and the error for a bad value names its
/// key. Method: the command itself, with sources of each kind.
class DaemonConfigTest {
  @TempDir private Path directory = Path.of(".");

  private String print(Map<String, String> environment, String... arguments) {
    StringWriter out = new StringWriter();
    CommandLine line =
        ServeCommand.commandLine(
            config -> {
              throw new AssertionError("nothing is opened here");
            },
            environment);
    line.setOut(new PrintWriter(out)).setErr(new PrintWriter(out));
    int exit = line.execute(arguments);
    return exit + "\n" + out;
  }

  @Test
  void flagsOverrideTheEnvironmentAndThatTheFile() throws IOException {
    Path file = directory.resolve("config");
    Files.writeString(file, "lanes=2\ntypes-max=256\ndrain-seconds=7\n");
    String printed =
        print(
            Map.of("WIDEROW_TYPES_MAX", "512", "WIDEROW_LANES", "3"),
            "--config",
            file.toString(),
            "--lanes",
            "4",
            "--print-config");
    assertEquals("flag", originIn(printed, "lanes=4"));
    assertEquals("variable WIDEROW_TYPES_MAX", originIn(printed, "types-max=512"));
    assertEquals("file", originIn(printed, "drain-seconds=7"));
    assertEquals("default", originIn(printed, "http=127.0.0.1:7380"));
    assertEquals("computed: store is empty", originIn(printed, "durability=disk"));
  }

  /// The comment behind a line that is printed.
  private static String originIn(String printed, String line) {
    Pattern whole = Pattern.compile("\n" + Pattern.quote(line) + " +# (.*)\n");
    Matcher found = whole.matcher("\n" + printed);
    assertTrue(found.find(), line + " in " + printed);
    return found.group(1);
  }

  @Test
  void everyValueHasAnOriginInEightyColumns() {
    String printed = print(Map.of(), "--print-config");
    List<String> lines = printed.lines().skip(1).toList();
    for (String line : lines) {
      assertTrue(line.matches("(# )?[a-z][^#]* {2}# .+"), line);
      assertTrue(line.length() <= 80, line);
    }
    for (String limit : List.of("memory", "heap", "native memory", "processors")) {
      assertTrue(printed.contains("\n# " + limit + ": "), printed);
    }
    for (String key : List.of("lanes", "open-bytes", "body-bytes-max")) {
      assertTrue(printed.matches("(?s).*\n" + key + "=\\d+ +# computed: .*"), printed);
    }
  }

  @Test
  void theOutputOfPrintConfigIsAConfigurationFile() throws IOException {
    Map<String, String> given = Map.of("WIDEROW_RETENTION", "9d", "WIDEROW_HOSTS", "a.b, c.d");
    Path file = directory.resolve("printed");
    Files.writeString(file, print(given, "--lanes", "3", "--print-config").substring(2));
    String again = print(Map.of(), "--config", file.toString(), "--print-config", "--changed");
    assertEquals("file", originIn(again, "retention=9d"));
    assertEquals("file", originIn(again, "hosts=a.b,c.d"));
    assertTrue(again.startsWith("0\n"), again);
    Files.writeString(file, "data=/a # b/#c  #d\n");
    assertEquals(
        "file",
        originIn(
            print(Map.of(), "--config", file.toString(), "--print-config"), "data=/a # b/#c  #d"));
  }

  @Test
  void onlyWhatIsChangedIsPrintedWhenAskedFor() {
    String printed =
        print(
            Map.of("WIDEROW_OPEN_AGE", "10m"),
            "--retention",
            "30d",
            "--set",
            "retention.audit=365d",
            "--shards",
            "auto",
            "--insecure",
            "--ui",
            "false",
            "--print-config",
            "--changed");
    assertEquals(
        "0\nretention=30d\nretention.audit=365d\ninsecure=true\nui=false\n",
        printed.replaceAll(" +# flag\n", "\n"));
  }

  @Test
  void whatIsChangedIsOnlyForPrinting() {
    String refused = print(Map.of(), "--changed");
    assertTrue(refused.startsWith("64\nwiderow: changed: "), refused);
  }

  @Test
  void completionKnowsEveryKey() {
    String script =
        AutoComplete.bash(
            "serve",
            ServeCommand.commandLine(
                config -> {
                  throw new AssertionError("nothing is opened here");
                },
                Map.of()));
    ConfigKeys.names().forEach(name -> assertTrue(script.contains('"' + name + "=\""), name));
    assertTrue(script.contains("\"quorum\" \"disk\" \"os\" \"memory\""), script);
  }

  @Test
  void everyKeyIsAFlagAndAVariable() {
    DaemonConfig.at(Path.of("store"))
        .print()
        .lines()
        .forEach(line -> {
          String[] set = line.split("=", 2);
          Key<?> key = Objects.requireNonNull(ConfigKeys.find(set[0]));
          String byFlag = print(Map.of(), "--" + set[0], set[1], "--print-config");
          assertEquals("flag", originIn(byFlag, line));
          String byVariable = print(Map.of(key.variable(), set[1]), "--print-config");
          assertEquals("variable " + key.variable(), originIn(byVariable, line));
        });
  }

  @Test
  void anUnknownKeyIsAnError() throws IOException {
    Path file = directory.resolve("config");
    Files.writeString(file, "lames=2\n");
    String printed = print(Map.of(), "--config", file.toString(), "--check-config");
    assertTrue(printed.startsWith("64\n"), printed);
    assertTrue(
        printed.contains(
            "unknown key lames; did you mean lanes? Those there are: data, http, syslog, "),
        printed);
    String flag = print(Map.of(), "--set", "retenton=2d", "--check-config");
    assertTrue(flag.startsWith("64\n"), flag);
    assertTrue(flag.contains("unknown key retenton; did you mean retention? "), flag);
    assertTrue(flag.contains(", retention.<type>"), flag);
  }

  @Test
  void anUnknownVariableIsAnErrorAndThoseOfKubernetesAreNot() {
    String printed = print(Map.of("WIDEROW_RETENTON", "2d"), "--check-config");
    assertTrue(printed.startsWith("64\n"), printed);
    assertTrue(printed.contains("WIDEROW_RETENTON; did you mean WIDEROW_RETENTION?"), printed);
    Map<String, String> pod =
        Map.of("WIDEROW_SERVICE_HOST", "10.0.0.1", "WIDEROW_PORT", "tcp://10.0.0.1:7380");
    assertEquals("0\nthe configuration works\n", print(pod, "--check-config"));
  }

  @ParameterizedTest
  @CsvSource({
    "lanes,0",
    "lanes,x",
    "lanes,65",
    "elasticsearch-version,8.19",
    "elasticsearch-version,6.8.23",
    "http,127.0.0.1",
    "http,0.0.0.0:1",
    "durability,safe",
    "deduplicate-for,forever",
    "deduplicate-for,366d",
    "data,''",
    "durability,quorum",
    "quorum-wait,51s",
    "quorum-wait,forever",
    "claim-keep,0d",
    "claim-keep,59s",
    "claim-keep,366d",
    "open-bytes,1099511627776000",
    "cluster-journal-bytes,1000",
    "cluster-journal-bytes,many",
    "cluster-ttl,on",
    "cluster-rows,nginx.*",
    "daemon-number,auto",
    "syslog,0.0.0.0:514",
    "syslog-tls,127.0.0.1:6514",
    "fluent-tls,127.0.0.1:24224",
    "fluent,0.0.0.0:24224",
    "fluent-shared-key,/nowhere",
    "tls-client-ca,/nowhere",
    "statsd,0.0.0.0:8125",
    "statsd,8125",
    "graphite,127.0.0.1:x",
    "graphite,127.0.0.1:70000",
    "gelf,0.0.0.0:12201",
    "event-bytes-max,99999999",
    "syslog-zone,Nowhere",
    "insecure,perhaps",
    "connections-per-address-max,-1",
    "http,127.0.0.1:70000",
    "shards,1025",
    "shards,0",
    "bucket-minutes,7",
    "bucket-minutes,0",
    "bucket-minutes.cpu,7",
    "bucket-minutes.cpu,wide",
    "shards.cpu,1025",
    "shards.cpu,0",
    "partition-bytes,0",
    "shard-rate,-1",
    "final,never",
    "open-bytes,5",
    "open-age,forever",
    "daemon-number,512",
    "journal-file-bytes,1000",
    "journal-bytes,1048576",
    "merge-after,forever",
    "disk-reserve-bytes,-1",
    "snapshot-dir,./widerow-data/s",
    "retention,30",
    "retention,0d",
    "retention.audit,long",
    "retention-grace,forever",
    "retention-grace,31d",
    "hosts,*.example.org",
    "tokens,/nowhere",
    "tls-key,/nowhere"
  })
  void aValueThatCannotWorkIsRefusedWithItsKey(String key, String value) {
    var refused =
        assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(Map.of(key, value)));
    assertTrue(String.valueOf(refused.getMessage()).contains(key), refused.getMessage());
  }

  @Test
  void patternsOfTypesAreForAStoreOnThisMachineAndMustNotContradict() {
    DaemonConfig config =
        DaemonConfig.of(Map.of("retention.metrics.*", "2d", "retention.*.debug", "1h"));
    assertEquals("15m", config.store().retentionGrace().toMinutes() + "m");
    assertTrue(config.print().contains("retention.metrics.*=2d\n"), config.print());
    refused(
        Map.of("retention.cpu*", "2d", "retention.*cpu", "1h"),
        "retention.*cpu and retention.cpu* match the same types and neither is more specific");
    refused(
        Map.of("retention.cpu*", "2d", "store", "cassandra://127.0.0.1/widerow?dc=dc1"),
        "retention.cpu*: on a cluster it takes the whole name of one type");
  }

  private static void refused(Map<String, String> keys, String why) {
    var refused = assertThrows(IllegalArgumentException.class, () -> DaemonConfig.of(keys));
    assertTrue(String.valueOf(refused.getMessage()).startsWith(why), refused.getMessage());
  }

  @Test
  void onAClusterRequestsWaitForItAndTheNumberIsFound() {
    Map<String, String> given =
        Map.of(
            "store", "cassandra://127.0.0.1:9043,[::1]/widerow?dc=dc1&replication=3",
            "cluster-rows", "nginx.*, audit",
            "quorum-wait", "20s");
    DaemonConfig config = DaemonConfig.of(given);
    String printed = config.print();
    assertTrue(printed.contains("durability=quorum\n"), printed);
    assertTrue(printed.contains("daemon-number=auto\n"), printed);
    assertTrue(printed.contains("cluster-rows=nginx.*,audit\n"), printed);
    assertTrue(printed.contains("quorum-wait=20s\n"), printed);
    assertNull(config.cluster().daemonNumber());
    String alone = DaemonConfig.at(directory).print();
    assertTrue(alone.contains("durability=disk\n"), alone);
    assertTrue(alone.contains("daemon-number=0\n"), alone);
  }

  @Test
  void aClusterThatOthersCanReachNeedsTlsAndAUser() {
    String store = "cassandra://192.0.2.1/widerow?dc=dc1";
    assertTrue(checkStore(store, "--insecure").startsWith("0\n"));
    String safe = store + "&ca=ca.pem&user=widerow&password-file=password";
    assertEquals(safe, DaemonConfig.of(Map.of("store", safe)).cluster().store());
    String unreadable = checkStore(safe);
    assertTrue(unreadable.startsWith("64\nwiderow: store: cannot read password"), unreadable);
  }

  private String checkStore(String store, String... more) {
    List<String> arguments = new ArrayList<>(List.of("--check-config", "--store", store));
    arguments.addAll(List.of("--data", directory.resolve("front").toString()));
    arguments.addAll(List.of(more));
    return print(Map.of(), arguments.toArray(String[]::new));
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "127.0.0.1",
        "cassandra://127.0.0.1/widerow",
        "cassandra://127.0.0.1/wide-row?dc=dc1",
        "cassandra://127.0.0.1/Widerow?dc=dc1",
        "cassandra://127.0.0.1?dc=dc1",
        "cassandra:///widerow?dc=dc1",
        "cassandra://127.0.0.1:0/widerow?dc=dc1",
        "cassandra://127.0.0.1,127.0.0.1/widerow?dc=dc1",
        "cassandra://a:b@127.0.0.1/widerow?dc=dc1",
        "cassandra://192.0.2.1/widerow?dc=dc1",
        "cassandra://127.0.0.1/widerow?dc=%20",
        "cassandra://127.0.0.1/widerow?dc=dc1&replication=0",
        "cassandra://127.0.0.1/widerow?dc=dc1&replication=99",
        "cassandra://127.0.0.1/widerow?dc=dc1&user=u",
        "cassandra://127.0.0.1/widerow?dc=dc1&user=&password-file=p",
        "cassandra://127.0.0.1/widerow?dc=dc1&password-file=p",
        "cassandra://127.0.0.1/widerow?dc=dc1&cert=c&key=k",
        "cassandra://127.0.0.1/widerow?dc=dc1&ca=a&key=k",
        "cassandra://127.0.0.1/widerow?dc=dc1&ca=",
        "cassandra://127.0.0.1/widerow?dc=dc1&ca=%zz",
        "cassandra://127.0.0.1/widerow?dc=dc1&dc=dc2",
        "cassandra://127.0.0.1/widerow?dc=dc1&pasword-file=p",
        "cassandra://127.0.0.1/widerow?dc=dc1&consistency=ONE"
      })
  void aUriThatNamesNoStoreIsAMistakeOfTheConfiguration(String store) {
    String printed = checkStore(store);
    assertTrue(printed.startsWith("64\nwiderow: store: "), printed);
    assertEquals(2, printed.lines().count(), printed);
  }

  @Test
  void thePrintedConfigurationCanBeReadBack() {
    DaemonConfig config =
        DaemonConfig.of(
            Map.of(
                "http", "[::1]:9",
                "statsd", "127.0.0.1:8125",
                "graphite", "0.0.0.0:2003",
                "insecure", "true",
                "retention", "720h"));
    Map<String, String> printed = new java.util.LinkedHashMap<>();
    config
        .print()
        .lines()
        .forEach(line -> {
          int equals = line.indexOf('=');
          printed.put(line.substring(0, equals), line.substring(equals + 1));
        });
    assertEquals(ConfigKeys.names().toList(), List.copyOf(printed.keySet()));
    assertEquals("30d", printed.get("retention"));
    assertEquals("127.0.0.1:8125", printed.get("statsd"));
    assertEquals("0.0.0.0:2003", printed.get("graphite"));
    assertEquals("", printed.get("gelf"));
    assertEquals(config.print(), DaemonConfig.of(printed).print());
  }
}
