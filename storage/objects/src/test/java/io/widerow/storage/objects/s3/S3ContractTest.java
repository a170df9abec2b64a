package io.widerow.storage.objects.s3;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.FaultyProxy;
import io.widerow.faults.S3Server;
import io.widerow.faults.Seeds;
import io.widerow.faults.Slice;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectStoreContract;
import io.widerow.storage.objects.S3Options;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.Objects;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a bucket of each of two servers that have nothing in common is an object store, also
/// through a network that loses, cuts and refuses requests and responses: no change is lost that
/// was confirmed, and none is made that was refused. Method: the servers as processes; random calls
/// are compared with a map.
@Tag("process")
@Timeout(600)
class S3ContractTest {
  private static final Duration SILENCE = Duration.ofMillis(700);
  private static final Duration PATIENCE = Duration.ofSeconds(60);

  @TempDir private Path directory = Path.of(".");

  private ObjectStore open(int port, String prefix, Duration silence) throws IOException {
    var options =
        new S3Options(
            URI.create("http://127.0.0.1:" + port),
            "",
            true,
            S3Server.credentials(directory.resolve("credentials")),
            null,
            false);
    var bucket = new ObjectPlace.Bucket(S3Server.BUCKET, prefix);
    return new S3Objects(
        S3Access.client(options, silence),
        bucket,
        new Attempts("s3://b/" + prefix, "a file", Duration.ofMillis(10)));
  }

  @ParameterizedTest
  @EnumSource(S3Server.Kind.class)
  void aBucketIsAnObjectStore(S3Server.Kind kind) throws Exception {
    try (var server = new S3Server(kind, directory.resolve("server"));
        var proxy = new FaultyProxy(server.port(), Seeds.one())) {
      ObjectStoreContract.eachCall(open(server.port(), "a/contract", PATIENCE));
      ObjectStoreContract.eachCall(open(proxy.port(), "contract", PATIENCE));
      largeObjectsAreWhole(open(server.port(), "large", PATIENCE));
      assertEquals(
          0,
          ObjectStoreContract.random(
              open(server.port(), "calm", PATIENCE), new SplittableRandom(Seeds.one()), 200));
      proxy.failOneIn(3);
      int calls = Slice.of("s3.calls", 300, 3_000);
      int failed =
          ObjectStoreContract.random(
              open(proxy.port(), "faults", SILENCE), new SplittableRandom(Seeds.one()), calls);
      System.out.printf(
          "%s: %d faults in %d requests, %d of %d calls failed%n",
          kind, proxy.faults(), proxy.requests(), failed, calls);
      assertTrue(proxy.faults() > calls / 4, () -> "faults: " + proxy.faults());
    }
  }

  /// Larger than what is put at once: it goes in parts.
  private static void largeObjectsAreWhole(ObjectStore objects) throws Exception {
    byte[] all = new byte[(int) MultipartPut.BYTES_MIN + 1_234_567];
    new SplittableRandom(3).nextBytes(all);
    objects.put(
        "large",
        new ObjectStore.Content() {
          @Override
          public long bytes() {
            return all.length;
          }

          @Override
          public InputStream open() {
            return new ByteArrayInputStream(all);
          }
        });
    assertEquals(all.length, Objects.requireNonNull(objects.head("large")).bytes());
    MessageDigest digest = MessageDigest.getInstance("MD5");
    byte[] expected = digest.digest(all);
    try (InputStream in = Objects.requireNonNull(objects.open("large"))) {
      byte[] part = new byte[1 << 16];
      for (int got = in.read(part); got >= 0; got = in.read(part)) {
        digest.update(part, 0, got);
      }
    }
    assertTrue(MessageDigest.isEqual(expected, digest.digest()), "its bytes");
    objects.delete("large");
    objects.tidy();
  }
}
