package io.widerow.query.remote;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.query.QueryException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/// Goal: a daemon may be named as people name it, and what cannot be one, or no file of
/// certificates, is refused with the given value. `OwnTlsTest` of the daemon uses real ones.
class DaemonAddressTest {
  private static final String PEM =
      """
      -----BEGIN CERTIFICATE-----
      MIIBfTCCASOgAwIBAgIUDV2vTNPCGK3bp6SZb2jJmeMDeFkwCgYIKoZIzj0EAwIw
      -----END CERTIFICATE-----
      """;

  @TempDir private Path directory = Path.of(".");

  private static String url(@Nullable String option, @Nullable String variable) {
    Map<String, String> environment = new HashMap<>();
    if (variable != null) {
      environment.put("WIDEROW_URL", variable);
    }
    return DaemonAddress.of(option, null, environment).url();
  }

  @ParameterizedTest
  @CsvSource({
    ",, http://127.0.0.1:7380",
    ", there:81, http://there:81",
    "here, there:81, http://here:7380",
    "here:80,, http://here:80",
    "localhost:7380/,, http://localhost:7380",
    "[::1]:7380,, http://[::1]:7380",
    "[::1],, http://[::1]:7380",
    "http://here,, http://here",
    "https://here:443/,, https://here:443",
    "http://proxy/widerow/,, http://proxy/widerow"
  })
  void addressesAreTakenAsPeopleWriteThem(
      @Nullable String option, @Nullable String variable, String url) {
    assertEquals(url, url(option, variable));
  }

  @ParameterizedTest
  @CsvSource({"ftp://x", "'a b:1'", "http://", ":7380", "here:port", "http://here?x=1"})
  void otherTextsAreRefusedWithTheirName(String text) {
    String message = " must be HOST:PORT, http://HOST:PORT or https://HOST:PORT, got " + text;
    var option = assertThrows(QueryException.Refused.class, () -> url(text, null));
    assertEquals("url:" + message, option.getMessage());
    var variable = assertThrows(QueryException.Refused.class, () -> url(null, text));
    assertEquals("WIDEROW_URL:" + message, variable.getMessage());
  }

  private String refused(@Nullable String url, String content) throws IOException {
    Path file = directory.resolve("c.pem");
    Files.writeString(file, content);
    var refused =
        assertThrows(QueryException.Refused.class, () -> DaemonAddress.of(url, file, Map.of()));
    return String.valueOf(refused.getMessage()).replace(file.toString(), "FILE");
  }

  @Test
  void aFileThatHoldsNoCertificateIsRefusedWithWhatItHolds() throws IOException {
    String none = "cacert: FILE: no certificate";
    assertEquals(
        none + " in PEM form is in it (-----BEGIN CERTIFICATE-----)", refused(null, "hello"));
    String key = "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n";
    assertEquals(
        none + " is in it, but a PRIVATE KEY: give the daemon's tls-certificate",
        refused(null, key));
    String damaged = refused(null, PEM);
    assertTrue(damaged.startsWith("cacert: FILE: its certificate number 1 is damaged: "), damaged);
    assertEquals(
        "cacert: is for TLS, got http://here:80; use https://", refused("http://here:80", PEM));
  }

  @Test
  void aFileThatIsNotThereIsNamed() {
    Path absent = directory.resolve("absent.pem");
    Map<String, String> environment = Map.of("WIDEROW_CACERT", absent.toString());
    var refused =
        assertThrows(
            QueryException.Refused.class, () -> DaemonAddress.of("here:1", null, environment));
    assertEquals("cacert: " + absent + ": there is no such file", refused.getMessage());
    assertEquals("http://here:1", DaemonAddress.of("http://here:1", null, environment).url());
  }
}
