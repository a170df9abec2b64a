package io.widerow.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.StoreDirectory;
import io.widerow.query.StoreDirectory.Stored;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: `query` and `types` read the store that `--store` names as they read a stopped one; the
/// other commands name the replacement for a cluster. Method: the command lines in this process,
/// with a provider whose stores are directories.
class ClusterSourceTest {
  private static final long START = 1_763_666_100_000_000_000L; // 2025-11-20T19:15:00Z
  private static final long MINUTE = 60_000_000_000L;
  private static final int EVENTS = 10;

  @TempDir Path directory;

  @BeforeEach
  void fill() throws IOException {
    List<Stored> events = new ArrayList<>();
    for (int i = 0; i < EVENTS; i++) {
      String type = i % 2 == 0 ? "even" : "odd";
      events.add(new Stored(type, START + i * MINUTE, Map.of("n", (long) i)));
    }
    StoreDirectory.write(directory.resolve("store"), events);
  }

  private record Run(int code, String out, String err) {}

  private static Run run(Map<String, String> environment, List<String> arguments) {
    var out = new ByteArrayOutputStream();
    var err = new ByteArrayOutputStream();
    var messages = new PrintStream(err, true, StandardCharsets.UTF_8);
    var shell = new Shell(out, messages, false, false, false, environment);
    int code = Main.execute(shell, arguments.toArray(String[]::new));
    return new Run(
        code, out.toString(StandardCharsets.UTF_8), err.toString(StandardCharsets.UTF_8));
  }

  /// @param line command and arguments; `DIR` is that of the test
  private Run run(Map<String, String> environment, String line) {
    List<String> words =
        new ArrayList<>(List.of(line.replace("DIR", directory.toString()).split(" ", -1)));
    return run(environment, words);
  }

  private Run run(String line) {
    return run(Map.of(), line);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "query",
        "query even --order desc",
        "query --last 3",
        "query --stats count,max(n) --by type",
        "query --histogram",
        "query --where n>=7 --output csv",
        "types",
        "types odd --output csv"
      })
  void aClusterIsReadLikeAStoppedStore(String line) {
    Run expected = run(line + " --data DIR/store");
    assertEquals(0, expected.code(), expected.err());
    assertTrue(!expected.out().isEmpty());
    assertEquals(expected, run(line + " --store test:DIR/store"));
  }

  @Test
  void explainSaysWhatWasRead() {
    Run run = run("query --explain --store test:DIR/store");
    assertEquals(0, run.code(), run.err());
    assertTrue(run.err().contains("events: 10 scanned, 10 kept"), run.err());
  }

  @Test
  void thePermissionToBeInsecureComesFromTheEnvironment() {
    for (boolean insecure : new boolean[] {true, false}) {
      Map<String, String> environment =
          Map.of("WIDEROW_INSECURE", " " + insecure, "WIDEROW_DATA", "/var/lib/widerow");
      assertEquals(0, run(environment, "types --store test:DIR/store").code());
      assertEquals(insecure, TestStores.insecure);
    }
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "query --store test:x --data DIR/store | 64 | store: give either store or data, not both",
        "query --store test:x --url localhost | 64 | store: give either store or url, not both",
        "explore types --store test:x --cacert x.pem | 64 | store: give either store or url, not"
            + " both",
        "query --data DIR/store --url localhost | 64 | data: give either data or url, not both",
        "query --store test: | 64 | store: no directory in test:",
        "explore types --store cassandr://h/k | 64 | store: must be"
            + " cassandra://HOST[:PORT][,HOST]/KEYSPACE?dc=NAME, got cassandr://h/k",
        "query --store test:DIR/none | 66 | DIR/none",
        "check verify --store cassandra://h/k | 64 | store: verify works on the files of one"
            + " machine; use `widerow cluster verify --store URI`",
        "snapshot --store=cassandra://h/k --to x | 64 | store: snapshot works on the files of one"
            + " machine; ask one of its daemons",
        "check repair --data DIR/store --store cassandra://h/k | 64 | store: repair works on the"
            + " files of one machine; use `nodetool repair` and `nodetool scrub`",
      })
  void mistakesAreOneSentence(String line, int code, String sentence) {
    Run run = run(line);
    assertEquals(code, run.code(), run.err());
    assertTrue(
        run.err()
            .startsWith(
                "widerow %s: %s"
                    .formatted(
                        line.substring(0, line.indexOf(" --")),
                        sentence.replace("DIR", directory.toString()))),
        run.err());
    assertEquals(1, run.err().lines().count(), run.err());
    assertEquals("", run.out());
  }

  @Test
  void withoutAProviderNoClusterIsRead() {
    StorageException failure =
        assertThrows(
            StorageException.Incompatible.class,
            () -> StoreOptions.open("cassandra://h/k", List.of(), Map.of()));
    assertEquals(ExitCode.NO_STORE, ExitCode.of(failure));
    assertTrue(
        Objects.requireNonNull(failure.getMessage())
            .startsWith("cassandra://h/k: the class path has nothing that reads a cluster;"),
        failure.getMessage());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "query --data DIR/daemon | to read the cluster, name it with --store URI",
        "types --data DIR/daemon | to read the cluster, name it with --store URI",
        "verify --data DIR/daemon | use `widerow cluster verify --store URI` on the cluster",
        "repair --data DIR/daemon | use `nodetool repair` and `nodetool scrub` on the nodes",
        "snapshot --data DIR/daemon --to DIR/copy | ask one of its daemons",
      })
  void theDirectoryOfADaemonOnAClusterIsNamedAsSuch(String line, String instead)
      throws IOException {
    Path daemon = Files.createDirectory(directory.resolve("daemon"));
    Files.writeString(daemon.resolve("owner"), "3");
    Files.writeString(daemon.resolve("rounds"), "");
    Files.createDirectory(daemon.resolve("spool"));
    Run run = run(line);
    assertEquals(66, run.code(), run.err());
    assertTrue(
        run.err()
            .contains(
                daemon
                    + ": is the directory of a daemon on a cluster, without a store: its"
                    + " events are on the cluster, and events not applied yet in spool; "
                    + instead),
        run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  /// A spool is a store on this machine, so each of these commands could read it, and repair would
  /// change it.
  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "query --data DIR/daemon/spool | to read the cluster, name it with --store URI",
        "types --data DIR/daemon/spool/. | to read the cluster, name it with --store URI",
        "verify --data DIR/daemon/spool | use `widerow cluster verify --store URI` on the cluster",
        "repair --data DIR/daemon/spool | use `nodetool repair` and `nodetool scrub` on the nodes",
        "snapshot --data DIR/daemon/spool --to DIR/copy | ask one of its daemons",
      })
  void theSpoolOfADaemonOnAClusterIsNamedAsSuch(String line, String instead) throws IOException {
    Path daemon = Files.createDirectory(directory.resolve("daemon"));
    Files.writeString(daemon.resolve("owner"), "3");
    Path spool = daemon.resolve("spool");
    EmbeddedStore.openSpool(StoreConfig.at(spool).withDiskReserveBytes(0), Runnable::run).close();
    Run run = run(line);
    assertEquals(66, run.code(), run.err());
    assertTrue(
        run.err()
            .contains(
                ": belongs to the daemon on a cluster whose directory is %s: it has only the events"
                        .formatted(daemon)
                    + " that are not applied yet; "
                    + instead),
        run.err());
    assertEquals(1, run.err().lines().count(), run.err());
  }

  @Test
  void helpHasAnExample() {
    Run run = run("query --help");
    assertEquals(0, run.code(), run.err());
    assertTrue(
        run.out().contains("widerow query --store 'cassandra://db1,db2/widerow?dc=dc1' --last 20"));
    assertTrue(run.out().contains("password-file=FILE"), run.out());
  }
}
