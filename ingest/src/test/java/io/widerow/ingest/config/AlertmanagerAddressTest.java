package io.widerow.ingest.config;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsParameters;
import com.sun.net.httpserver.HttpsServer;
import io.widerow.faults.Certificates;
import io.widerow.storage.PemFiles;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.http.HttpClient;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.util.Objects;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLParameters;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/// Goal: an Alertmanager that demands certificates of its clients is reached with the parameters of
/// its address and not without them; mistakes name the parameter or the file. Method: a server of
/// the JDK, and certificates that the test makes.
@Timeout(120)
class AlertmanagerAddressTest {
  @TempDir private Path directory = Path.of(".");
  private @Nullable HttpsServer server;

  private static HttpsServer start(SSLContext context) throws IOException {
    HttpsServer made =
        HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    made.setHttpsConfigurator(
        new HttpsConfigurator(context) {
          @Override
          public void configure(HttpsParameters parameters) {
            SSLParameters demanded = context.getDefaultSSLParameters();
            demanded.setNeedClientAuth(true);
            parameters.setSSLParameters(demanded);
          }
        });
    made.createContext(
        "/api/v2/alerts",
        exchange -> {
          exchange.sendResponseHeaders(200, -1);
          exchange.close();
        });
    made.start();
    return made;
  }

  @BeforeEach
  void open() throws IOException, GeneralSecurityException {
    Certificates authority = Certificates.selfSigned("CN=authority");
    write(authority, "ca");
    write(authority.sign("CN=widerow"), "client");
    write(Certificates.ofThisMachine(), "server");
    write(Certificates.ofThisMachine(), "other");
    server = start(PemFiles.context(file("ca.pem"), file("server.pem"), file("server.key")));
  }

  @AfterEach
  void close() {
    Objects.requireNonNull(server).stop(0);
  }

  private Path file(String name) {
    return directory.resolve(name);
  }

  private void write(Certificates made, String name) throws IOException {
    made.write(file(name + ".pem"), file(name + ".key"));
  }

  private AlertmanagerAddress address(String parameters) {
    return AlertmanagerAddress.parse(
        "https://127.0.0.1:%d?%s"
            .formatted(
                Objects.requireNonNull(server).getAddress().getPort(),
                parameters.replace("=@", "=" + directory + "/")));
  }

  private static int post(AlertmanagerAddress to) throws IOException, InterruptedException {
    to.check();
    try (HttpClient client = to.client(Runnable::run)) {
      return client.send(to.request("[]"), HttpResponse.BodyHandlers.discarding()).statusCode();
    }
  }

  @Test
  void aClientWithACertificateIsServed() throws IOException, InterruptedException {
    assertEquals(200, post(address("ca=@server.pem&cert=@client.pem&key=@client.key")));
    assertThrows(IOException.class, () -> post(address("ca=@server.pem")));
    assertThrows(
        IOException.class, () -> post(address("ca=@other.pem&cert=@client.pem&key=@client.key")));
    assertThrows(
        IOException.class, () -> post(address("ca=@server.pem&cert=@other.pem&key=@other.key")));
  }

  @Test
  void mistakesNameTheParameterOrTheFile() throws IOException {
    Files.writeString(file("empty.pem"), "");
    refused("takes cert with key", () -> address("cert=@client.pem"));
    refused(
        "ca, cert and key are for https",
        () -> AlertmanagerAddress.parse("http://127.0.0.1:9093?ca=/x"));
    refused("parameters are ca, cert, key, user, password-file, token-file", () -> address("x=1"));
    refused("there is no certificate (PEM) in", () -> address("ca=@empty.pem").check());
    refused("cannot read the key file", () -> address("cert=@client.pem&key=@none.key").check());
    refused("no unencrypted PKCS#8 key", () -> address("cert=@client.pem&key=@ca.pem").check());
  }

  private static void refused(String part, Runnable mistake) {
    IllegalArgumentException told =
        assertThrows(IllegalArgumentException.class, mistake::run, part);
    String message = String.valueOf(told.getMessage());
    assertTrue(message.startsWith("alertmanagers: ") && message.contains(part), message);
  }
}
