package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.config.ConfigCheck;
import io.widerow.ingest.config.DaemonConfig;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: files and addresses of TLS that cannot work are refused at the start, with the key and the
/// file in the error. Method: each mistake, with made certificates.
class TlsConfigTest {
  @TempDir private static Path directory = Path.of(".");

  @BeforeAll
  static void certificates() throws IOException, GeneralSecurityException {
    new TlsPeers(directory).make();
    Files.writeString(directory.resolve("empty.pem"), "");
    Files.writeString(directory.resolve("text.pem"), "no certificate\n");
  }

  private static String file(String name) {
    return directory.resolve(name).toString();
  }

  private static String refusal(String... pairs) {
    Map<String, String> keys = new HashMap<>(Map.of("http", "127.0.0.1:0"));
    for (int i = 0; i < pairs.length; i += 2) {
      keys.put(pairs[i], pairs[i + 1]);
    }
    List<String> mistakes = ConfigCheck.of(keys, Map.of(), null, List.of()).mistakes();
    assertFalse(mistakes.isEmpty(), keys::toString);
    return String.join("; ", mistakes);
  }

  @ParameterizedTest
  @CsvSource({
    "none.pem, key.pem, '', none.pem",
    "cert.pem, none.key, '', none.key",
    "text.pem, key.pem, '', text.pem",
    "empty.pem, key.pem, '', empty.pem",
    "cert.pem, text.pem, '', text.pem",
    "cert.pem, empty.pem, '', empty.pem",
    "cert.pem, other.key, '', other.key",
    "cert.pem, client.key, '', client.key",
    "cert.pem, key.pem, none.pem, none.pem",
    "cert.pem, key.pem, text.pem, text.pem",
    "cert.pem, key.pem, empty.pem, empty.pem",
    "cert.pem, key.pem, key.pem, key.pem"
  })
  void theErrorNamesTheFile(String certificate, String key, String authorities, String named) {
    String refusal =
        refusal(
            "syslog-tls",
            "127.0.0.1:0",
            "tls-certificate",
            file(certificate),
            "tls-key",
            file(key),
            "tls-client-ca",
            authorities.isEmpty() ? "" : file(authorities));
    assertTrue(refusal.startsWith("tls-"), refusal);
    assertTrue(refusal.contains(file(named)), refusal);
  }

  @Test
  void theKeyOfAnotherCertificateIsNamed() {
    assertEquals(
        "tls-key: %s is not the key of the certificate in %s"
            .formatted(file("other.key"), file("cert.pem")),
        refusal("tls-certificate", file("cert.pem"), "tls-key", file("other.key")));
  }

  @ParameterizedTest
  @ValueSource(strings = {"syslog-tls", "fluent-tls", "statsd-tls", "graphite-tls", "gelf-tls"})
  void anAddressOfTlsNeedsItsFilesAndOthersNeedMore(String key) {
    assertEquals(
        key + ": 127.0.0.1:5 needs tls-certificate and tls-key", refusal(key, "127.0.0.1:5"));
    String[] open = {
      key, "0.0.0.0:5", "tls-certificate", file("cert.pem"), "tls-key", file("key.pem")
    };
    String refusal = refusal(open);
    assertTrue(refusal.startsWith(key + ": others can reach 0.0.0.0:5; without tls-"), refusal);
    Map<String, String> keys = new HashMap<>(Map.of("http", "127.0.0.1:0"));
    for (int i = 0; i < open.length; i += 2) {
      keys.put(open[i], open[i + 1]);
    }
    for (List<String> more :
        List.of(List.of("insecure", "true"), List.of("tls-client-ca", file("ca.pem")))) {
      Map<String, String> safe = new HashMap<>(keys);
      safe.put(more.get(0), more.get(1));
      DaemonConfig _ = DaemonConfig.of(safe);
    }
  }

  @Test
  void authoritiesWithoutAnAddressOfTlsAreOfNoUse() {
    String refusal = refusal("tls-client-ca", file("ca.pem"));
    assertTrue(refusal.startsWith("tls-client-ca: " + file("ca.pem")), refusal);
  }
}
