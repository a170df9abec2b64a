package io.widerow.ingest.receive.otlp;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.github.luben.zstd.Zstd;
import com.linecorp.armeria.client.ClientFactory;
import com.linecorp.armeria.client.WebClient;
import com.linecorp.armeria.common.AggregatedHttpResponse;
import io.widerow.faults.Certificates;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.MemoryStore;
import io.widerow.ingest.TokenDaemon;
import io.widerow.ingest.TunedConfig;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: each case of a request has the answer that OTLP's specification gives it, for all three
/// signals, as protobuf and JSON over HTTP and over gRPC. Method: a daemon with a store in memory.
@Timeout(300)
class OtlpResponsesTest {
  private static final byte[] BAD = {0, 1}; // field 0
  private static final int OK = 200;

  @TempDir private Path directory = Path.of(".");

  private static byte[] bad(Transport form) {
    return form == Transport.JSON ? "5".getBytes(UTF_8) : BAD;
  }

  /// A case of one form and one signal.
  @FunctionalInterface
  private interface Case {
    void run(OtlpSender sender, MemoryStore store, Transport form, String kind) throws Exception;
  }

  /// Runs a case for all forms and signals, with one daemon.
  private void each(Map<String, String> config, Case test) throws Exception {
    with(
        config,
        (sender, store) -> {
          for (Transport form : Transport.values()) {
            for (String kind : List.of("log", "point", "span")) {
              store.committed.clear();
              test.run(sender, store, form, kind);
            }
          }
        });
  }

  /// Runs a test with a daemon of its own.
  private void with(Map<String, String> config, OtlpSender.Test test) throws Exception {
    Map<String, String> values = new HashMap<>(Map.of("http", "127.0.0.1:0", "lanes", "1"));
    values.putAll(config);
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(TunedConfig.of(values), store)) {
      String url = "h2c://127.0.0.1:" + daemon.httpAddress().getPort();
      test.run(new OtlpSender(WebClient.of(url), Map.of()), store);
    }
  }

  @Test
  void allStored() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          OtlpSender.Answer answer = sender.send(form, kind, OtlpSender.good(kind, form, 3));
          assertEquals(OK, answer.status());
          assertEquals(0, answer.code());
          assertEquals("", answer.partial(), "unset");
          assertEquals(form == Transport.JSON ? "{}" : "", answer.message());
          assertEquals(3, store.committed.size());
        });
  }

  @Test
  void someRefused() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          byte[] request = OtlpRequests.around(kind, form == Transport.JSON, bad(form));
          String first = sender.send(form, kind, request).partial();
          assertTrue(first.startsWith("1 record 1: "), first);
          assertTrue(first.matches(".* at byte \\d+.*"), first);
          assertEquals(2, store.committed.size());
          OtlpSender.Answer again = sender.send(form, kind, request);
          assertEquals(first, again.partial(), "a repeat has the answer of the first time");
          assertEquals(OK, again.status());
          assertEquals(2, store.committed.size());
        });
  }

  @Test
  void allRefused() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          byte[] request = OtlpSender.only(kind, form, 40, bad(form));
          OtlpSender.Answer answer = sender.send(form, kind, request);
          assertEquals(OK, answer.status());
          assertEquals(0, answer.code());
          assertTrue(answer.partial().startsWith("40 record 0: "), answer.partial());
          String why = answer.partial().substring("40 ".length());
          assertTrue(why.getBytes(UTF_8).length <= 1_024, "a message is cut at 1 KiB");
          assertTrue(why.getBytes(UTF_8).length > 1_000, why);
          assertEquals(0, store.committed.size());
        });
  }

  @Test
  void notDecodable() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          byte[] request = form == Transport.JSON ? "[]".getBytes(UTF_8) : new byte[] {10, 99};
          OtlpSender.Answer answer = sender.send(form, kind, request);
          answer.assertRefused(400, 3, false);
          assertTrue(answer.message().contains("at byte"), answer.message());
          assertEquals(0, store.committed.size());
        });
  }

  @Test
  void tooLarge() throws Exception {
    each(
        Map.of("body-bytes-max", "1024"),
        (sender, store, form, kind) -> {
          byte[] request = OtlpSender.good(kind, form, 100);
          OtlpSender.Answer answer = sender.send(form, kind, request);
          answer.assertRefused(413, 8, false);
          assertTrue(answer.message().contains("1024"), answer.message());
          assertEquals(0, store.committed.size());
        });
  }

  @Test
  void fullDisk() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          store.full = true;
          sender.send(form, kind, OtlpSender.good(kind, form, 1)).assertRefused(503, 14, true);
          store.full = false;
          OtlpSender.Answer later = sender.send(form, kind, OtlpSender.good(kind, form, 1));
          assertEquals(OK, later.status());
          assertEquals(1, store.committed.size());
        });
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void tooMuchUnderWay(Transport form) throws Exception {
    with(
        Map.of("body-bytes-max", "1024", "credit-bytes", "4096"),
        (sender, store) -> {
          int permits = store.commits.drainPermits();
          List<CompletableFuture<OtlpSender.Answer>> answers = new ArrayList<>();
          for (int i = 0; i < 12; i++) {
            answers.add(sender.later(form, "log", OtlpSender.good("log", form, i % 3 + 1)));
          }
          OtlpSender.Answer first =
              (OtlpSender.Answer)
                  CompletableFuture.anyOf(answers.toArray(CompletableFuture[]::new)).join();
          first.assertRefused(503, 14, true);
          store.commits.release(permits);
          long refused =
              answers.stream().map(CompletableFuture::join).filter(a -> a.code() == 14).count();
          assertTrue(refused > 0 && refused < answers.size(), refused + " are refused");
        });
  }

  @Test
  void emptyRequestIsSuccess() throws Exception {
    each(
        Map.of(),
        (sender, store, form, kind) -> {
          byte[] request = form == Transport.JSON ? "{}".getBytes(UTF_8) : new byte[0];
          OtlpSender.Answer answer = sender.send(form, kind, request);
          assertEquals(OK, answer.status());
          assertEquals(0, answer.code());
          assertEquals("", answer.partial());
        });
  }

  @Test
  void tokens() {
    String secret = "secret-of-agent-0123456789abcdef";
    try (TokenDaemon daemon = new TokenDaemon(directory, secret)) {
      WebClient client = WebClient.of("h2c://127.0.0.1:" + daemon.port());
      for (Transport form : Transport.values()) {
        for (String kind : List.of("log", "point", "span")) {
          daemon.store.committed.clear();
          byte[] request = OtlpSender.good(kind, form, 1);
          new OtlpSender(client, Map.of()).send(form, kind, request).assertRefused(401, 16, false);
          new OtlpSender(client, Map.of("authorization", "Bearer no"))
              .send(form, kind, request)
              .assertRefused(401, 16, false);
          assertEquals(0, daemon.store.committed.size());
          OtlpSender right = new OtlpSender(client, Map.of("authorization", "Bearer " + secret));
          assertEquals(0, right.send(form, kind, request).code());
          assertEquals(1, daemon.store.committed.size());
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource(Transport.class)
  void senderNamesTypeAndDurability(Transport form) throws Exception {
    with(
        Map.of(),
        (sender, store) -> {
          Map<String, String> headers =
              Map.of("widerow-type", "own", "widerow-durability", "memory");
          OtlpSender named = new OtlpSender(sender.client(), headers);
          assertEquals(0, named.send(form, "log", OtlpSender.good("log", form, 1)).code());
          assertEquals("own", store.committed.getFirst().type());
          assertEquals(Set.of("MEMORY"), Set.of(store.levels.getFirst().name()));
        });
  }

  private static byte[] packed(String coding, byte[] plain) throws IOException {
    if (coding.equals("zstd")) {
      return Zstd.compress(plain);
    }
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream out =
        coding.equals("gzip") ? new GZIPOutputStream(packed) : new DeflaterOutputStream(packed)) {
      out.write(plain);
    }
    return packed.toByteArray();
  }

  @ParameterizedTest
  @ValueSource(strings = {"gzip", "deflate", "zstd"})
  void packedOverHttpAndGrpc(String coding) throws Exception {
    with(
        Map.of(),
        (sender, store) -> {
          for (Transport form : List.of(Transport.PROTOBUF, Transport.JSON)) {
            byte[] body = packed(coding, OtlpSender.good("log", form, 2));
            OtlpSender packing =
                new OtlpSender(sender.client(), Map.of("content-encoding", coding));
            assertEquals(OK, packing.send(form, "log", body).status());
          }
          byte[] plain = OtlpSender.good("log", Transport.GRPC, 3);
          OtlpSender packing = new OtlpSender(sender.client(), Map.of("grpc-encoding", coding));
          assertEquals(0, packing.sendFramed("log", 1, packed(coding, plain)).code());
          byte[] other = OtlpSender.good("log", Transport.GRPC, 4);
          assertEquals(0, packing.sendFramed("log", 0, other).code(), "this one is not packed");
          assertEquals(2 + 2 + 3 + 4, store.committed.size());
          OtlpSender.Answer broken = packing.sendFramed("log", 1, new byte[] {1, 2, 3});
          broken.assertRefused(400, 3, false);
        });
  }

  @Test
  void chunkedBodyNeedsNoLength() throws Exception {
    with(
        Map.of(),
        (sender, store) -> {
          byte[] body = packed("gzip", OtlpSender.good("log", Transport.PROTOBUF, 5));
          URI uri = URI.create("http://" + sender.client().uri().getAuthority() + "/v1/logs");
          HttpRequest request =
              HttpRequest.newBuilder(uri)
                  .version(HttpClient.Version.HTTP_1_1)
                  .header("content-type", "application/x-protobuf")
                  .header("content-encoding", "gzip")
                  .POST(BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(body)))
                  .build();
          try (HttpClient client = HttpClient.newHttpClient()) {
            HttpResponse<String> answer = client.send(request, BodyHandlers.ofString());
            assertEquals(OK, answer.statusCode(), answer.body());
          }
          assertEquals(5, store.committed.size());
        });
  }

  @Test
  void otherTypesAndEncodingsAreNotTaken() throws Exception {
    with(
        Map.of(),
        (sender, store) -> {
          byte[] body = OtlpSender.good("log", Transport.PROTOBUF, 1);
          OtlpSender.Answer text = sender.send(Transport.PROTOBUF, "log", "text/plain", body);
          assertEquals(415, text.status());
          assertTrue(text.message().contains("application/json, got text/plain"), text.message());
          OtlpSender br = new OtlpSender(sender.client(), Map.of("content-encoding", "br"));
          br.send(Transport.PROTOBUF, "log", body).assertRefused(415, 12, false);
          OtlpSender snappy = new OtlpSender(sender.client(), Map.of("grpc-encoding", "snappy"));
          snappy.send(Transport.GRPC, "log", body).assertRefused(415, 12, false);
          sender.sendFramed("log", 7, body).assertRefused(400, 3, false);
          AggregatedHttpResponse get = sender.client().get("/v1/logs").aggregate().join();
          assertEquals(405, get.status().code());
          assertEquals(0, store.committed.size());
        });
  }

  @Test
  void grpcOverTls() throws Exception {
    Certificates.ofThisMachine().write(directory.resolve("cert.pem"), directory.resolve("key.pem"));
    Map<String, String> tls =
        Map.of(
            "http",
            "127.0.0.1:0",
            "lanes",
            "1",
            "tls-certificate",
            directory.resolve("cert.pem").toString(),
            "tls-key",
            directory.resolve("key.pem").toString());
    MemoryStore store = new MemoryStore(1);
    try (Daemon daemon = Daemon.start(TunedConfig.of(tls), store);
        ClientFactory trusting =
            ClientFactory.builder()
                .tlsCustomizer(b -> b.trustManager(directory.resolve("cert.pem").toFile()))
                .build()) {
      String url = "https://localhost:" + daemon.httpAddress().getPort(); // h2 by ALPN, or HTTP/1
      WebClient client = WebClient.builder(url).factory(trusting).build();
      OtlpSender.Answer answer =
          new OtlpSender(client, Map.of())
              .send(Transport.GRPC, "log", OtlpSender.good("log", Transport.GRPC, 2));
      assertEquals(0, answer.code());
      assertTrue(answer.trailers(), "only HTTP/2 has trailers here");
      assertEquals(2, store.committed.size());
    }
  }

  @Test
  void refusalsOfGrpcHaveNoRetryAfter() throws Exception {
    with(
        Map.of(),
        (sender, store) -> {
          store.full = true;
          OtlpSender.Answer answer =
              sender.send(Transport.GRPC, "log", OtlpSender.good("log", Transport.GRPC, 1));
          assertFalse(answer.trailers(), "a failure is in the headers alone");
          assertNull(answer.retryAfter());
        });
  }
}
