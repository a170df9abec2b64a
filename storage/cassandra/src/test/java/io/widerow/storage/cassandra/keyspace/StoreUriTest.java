package io.widerow.storage.cassandra.keyspace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: a URI or an option that cannot work is refused at once, with the part that is wrong.
/// Method: right ones and wrong ones.
class StoreUriTest {
  @Test
  void aUriHasHostsAKeyspaceAndADatacenter() {
    StoreUri uri = StoreUri.parse("cassandra://a.example,10.0.0.2:9043,[::1]:7/w_1?dc=dc%201");
    assertEquals(
        new StoreUri(
            List.of(
                new StoreUri.Host("a.example", 9042),
                new StoreUri.Host("10.0.0.2", 9043),
                new StoreUri.Host("::1", 7)),
            "w_1",
            "dc 1",
            0),
        uri);
    assertFalse(uri.isLoopback());
    String whole = "cassandra://127.0.0.1:9042/widerow?dc=dc1&replication=3";
    assertEquals(whole, StoreUri.parse(whole).toString());
    assertEquals(3, StoreUri.parse(whole).replication());
    assertTrue(StoreUri.parse("cassandra://localhost,[::1],127.9.9.9/k?dc=d").isLoopback());
    assertTrue(StoreUri.isOne("cassandra:/oops"));
    assertFalse(StoreUri.isOne("./widerow-data"));
  }

  @Test
  void aKeyspaceMayBeAWordOfTheLanguage() {
    for (String word : List.of("full", "token", "table", "select")) {
      StoreUri uri = StoreUri.parse("cassandra://h/%s?dc=d".formatted(word));
      assertEquals(word, uri.keyspace());
      assertEquals('"' + word + '"', uri.keyspaceInCql());
    }
    assertEquals("widerow", StoreUri.parse("cassandra://h/widerow?dc=d").keyspaceInCql());
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = ' ',
      quoteCharacter = '"',
      value = {
        "cassandra:/h/k?dc=d begins",
        "http://h/k?dc=d http",
        "cassandra:// HOST",
        "cassandra:///k?dc=d ''",
        "cassandra://h?dc=d HOST",
        "cassandra://h/?dc=d keyspace",
        "cassandra://h/Widerow?dc=d Widerow",
        "cassandra://h/9k?dc=d 9k",
        "cassandra://h/k-k?dc=d k-k",
        "cassandra://h/k/l?dc=d k/l",
        "cassandra://h/k datacenter",
        "cassandra://h/k?dc= datacenter",
        "cassandra://h/k?dc datacenter",
        "cassandra://h:0/k?dc=d h:0",
        "cassandra://h:65536/k?dc=d 65536",
        "cassandra://h:port/k?dc=d h:port",
        "cassandra://h,/k?dc=d ''",
        "cassandra://h,h:9042/k?dc=d twice",
        "cassandra://[::1/k?dc=d [::1",
        "cassandra://[::g]/k?dc=d ::g",
        "cassandra://h/k?dc=d&dc=e twice",
        "cassandra://h/k?dc=d&replication=0 '0'",
        "cassandra://h/k?dc=d&replication=33 33",
        "cassandra://h/k?dc=d&replication=x 'x'",
        "cassandra://h/k?dc=d&ssl=true 'ssl'",
        "cassandra://h/k?dc=d&pasword-file=secret password-file?",
        "cassandra://me:secret@h/k?dc=d password-file",
      })
  void aWrongUriIsRefusedWithWhatIsWrong(String uri, String named) {
    var refused = assertThrows(IllegalArgumentException.class, () -> StoreUri.parse(uri));
    assertTrue(
        KeyspaceContract.message(refused).contains(named), KeyspaceContract.message(refused));
    assertFalse(
        KeyspaceContract.message(refused).contains("secret"), KeyspaceContract.message(refused));
  }

  @Test
  void anotherMachineNeedsTlsAndAUserOrPermission() {
    StoreUri far = StoreUri.parse("cassandra://10.1.2.3/k?dc=d");
    StoreUri near = StoreUri.parse("cassandra://127.0.0.1/k?dc=d");
    Path file = Path.of("file");
    assertEquals(near, ClusterOptions.at(near).uri());
    assertTrue(refused(far, null, null, null, null, false).contains("10.1.2.3:9042"));
    assertTrue(refused(far, "u", file, null, null, false).contains("unencrypted"));
    assertTrue(refused(far, null, null, file, null, false).contains("user and password-file"));
    assertEquals(far, ClusterOptions.at(far, "u", file, file).uri());
    assertTrue(options(far, null, null, null, null, true).insecure());

    assertTrue(refused(near, "u", null, null, null, false).contains("'u'"));
    assertTrue(refused(near, null, file, null, null, false).contains("file"));
    assertTrue(refused(near, null, null, file, file, false).contains("without its key"));
  }

  @Test
  void theParametersSayHowToConnect() {
    String uri =
        "cassandra://10.1.2.3/k?dc=d&user=u&password-file=%2Fetc%2Fa+b&ca=ca.pem&cert=c.pem"
            + "&key=k.pem&consistency=all&replication=3";
    assertEquals(
        new ClusterOptions(
            StoreUri.parse("cassandra://10.1.2.3/k?dc=d&replication=3"),
            "u",
            Path.of("/etc/a b"),
            Path.of("ca.pem"),
            Path.of("c.pem"),
            Path.of("k.pem"),
            ClusterOptions.Consistency.ALL,
            Duration.ofSeconds(1),
            true,
            false),
        ClusterOptions.parse(uri, Duration.ofSeconds(1), true, false));
    for (String wrong : List.of("user=u", "ca=", "cert=c", "key=k", "consistency=ONE")) {
      var refused =
          assertThrows(
              IllegalArgumentException.class,
              () ->
                  ClusterOptions.parse(
                      "cassandra://[::1]/k?dc=d&" + wrong, Duration.ofSeconds(1), false, true));
      assertFalse(KeyspaceContract.message(refused).isEmpty(), wrong);
    }
  }

  private static ClusterOptions options(
      StoreUri uri,
      @Nullable String user,
      @Nullable Path password,
      @Nullable Path ca,
      @Nullable Path certificate,
      boolean insecure) {
    return new ClusterOptions(
        uri,
        user,
        password,
        ca,
        certificate,
        null,
        ClusterOptions.Consistency.QUORUM,
        Duration.ofSeconds(1),
        false,
        insecure);
  }

  private static String refused(
      StoreUri uri,
      @Nullable String user,
      @Nullable Path password,
      @Nullable Path ca,
      @Nullable Path certificate,
      boolean insecure) {
    return KeyspaceContract.message(
        assertThrows(
            IllegalArgumentException.class,
            () -> options(uri, user, password, ca, certificate, insecure)));
  }

  @ParameterizedTest
  @ValueSource(strings = {"PT0S", "PT0.099S", "PT1M0.001S"})
  void aTimeoutThatCannotWorkIsRefused(String timeout) {
    ClusterOptions options = ClusterOptions.at(StoreUri.parse("cassandra://[::1]/k?dc=d"));
    var refused =
        assertThrows(
            IllegalArgumentException.class,
            () -> options.withRequestTimeout(Duration.parse(timeout)));
    assertTrue(
        KeyspaceContract.message(refused).contains(timeout), KeyspaceContract.message(refused));
  }

  @Test
  void nothingWeakerThanAQuorumIsTaken() {
    assertEquals(
        ClusterOptions.Consistency.LOCAL_QUORUM, ClusterOptions.Consistency.parse("local_quorum"));
    var refused =
        assertThrows(IllegalArgumentException.class, () -> ClusterOptions.Consistency.parse("ONE"));
    assertTrue(
        KeyspaceContract.message(refused).contains("'ONE'"), KeyspaceContract.message(refused));
  }

  @Test
  void theReadmeShowsTheStatementsThatMakeTheTables() throws Exception {
    String readme = Files.readString(Path.of("README.md"));
    for (String statement : ClusterSchema.statements("widerow", false)) {
      assertTrue(readme.contains(statement + ";"), statement);
    }
  }
}
