package io.widerow.storage.objects.s3;

import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectsException;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.AwsRequestOverrideConfiguration;
import software.amazon.awssdk.core.ResponseBytes;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.core.sync.ResponseTransformer;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.PutObjectResponse;
import software.amazon.awssdk.services.s3.model.S3Object;

/// A part of a bucket. The server checks the MD5 of everything that is put; readers check what they
/// read by checksums of their own.
///
/// - Threads: any.
final class S3Objects implements ObjectStore {
  private static final String ANY = "*";
  private static final String BYTES = "application/octet-stream";
  private static final int BUFFER_BYTES = 1 << 16;
  private static final Duration REQUEST = Duration.ofSeconds(30);
  private static final long BYTES_PER_SECOND_MIN = 100_000;

  private final S3Client client;
  private final String bucket;
  private final String prefix;
  private final Attempts attempts;

  S3Objects(S3Client client, ObjectPlace.Bucket bucket, Attempts attempts) {
    this.client = client;
    this.bucket = bucket.name();
    this.prefix = bucket.prefix() + "/";
    this.attempts = attempts;
  }

  @Override
  public void put(String name, Content content) {
    if (content.bytes() > MultipartPut.BYTES_MIN) {
      new MultipartPut(client, attempts, bucket, prefix + name, content).run();
      return;
    }
    PutObjectRequest request =
        request(name, md5(content, 0, content.bytes()), content.bytes()).build();
    var _ = attempts.run("put " + name, () -> client.putObject(request, body(content)));
  }

  private PutObjectRequest.Builder request(String name, String md5, long bytes) {
    return PutObjectRequest.builder()
        .bucket(bucket)
        .key(prefix + name)
        .contentMD5(md5)
        .contentLength(bytes)
        .overrideConfiguration(within(bytes));
  }

  /// How long a request of so many bytes may take.
  static AwsRequestOverrideConfiguration within(long bytes) {
    return AwsRequestOverrideConfiguration.builder()
        .apiCallAttemptTimeout(REQUEST.plusSeconds(bytes / BYTES_PER_SECOND_MIN))
        .build();
  }

  private static RequestBody body(Content content) {
    return RequestBody.fromContentProvider(
        () -> {
          try {
            return content.open();
          } catch (IOException failure) {
            throw new UncheckedIOException(failure);
          }
        },
        content.bytes(),
        BYTES);
  }

  /// MD5 of a part of a content, as S3 wants it.
  static String md5(Content content, long offset, long length) {
    try (InputStream in = content.open()) {
      MessageDigest digest = MessageDigest.getInstance("MD5");
      in.skipNBytes(offset);
      byte[] buffer = new byte[BUFFER_BYTES];
      long left = length;
      while (left > 0) {
        int got = in.read(buffer, 0, (int) Math.min(left, buffer.length));
        if (got < 0) {
          throw new IOException("%d bytes of %d are missing".formatted(left, length));
        }
        digest.update(buffer, 0, got);
        left -= got;
      }
      return Base64.getEncoder().encodeToString(digest.digest());
    } catch (IOException failure) {
      throw new ObjectsException.Away("cannot read a file of the store: " + failure, failure);
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("every JDK has MD5", missing);
    }
  }

  @Override
  public @Nullable String putIf(String name, byte[] bytes, @Nullable String tag) {
    Content content = content(bytes);
    PutObjectRequest.Builder request = request(name, md5(content, 0, bytes.length), bytes.length);
    PutObjectRequest conditional =
        (tag == null ? request.ifNoneMatch(ANY) : request.ifMatch(tag)).build();
    try {
      PutObjectResponse put =
          attempts.run("put " + name, () -> client.putObject(conditional, body(content)));
      return put == null ? null : put.eTag();
    } catch (Attempts.Refused refused) {
      if (refused.isSure()) {
        return null;
      }
      Read there = get(name); // it may be ours, whose answer was lost
      return there != null && Arrays.equals(there.bytes(), bytes) ? there.tag() : null;
    }
  }

  private static Content content(byte[] bytes) {
    return new Content() {
      @Override
      public long bytes() {
        return bytes.length;
      }

      @Override
      public InputStream open() {
        return new java.io.ByteArrayInputStream(bytes);
      }
    };
  }

  private GetObjectRequest.Builder reading(String name) {
    return GetObjectRequest.builder()
        .bucket(bucket)
        .key(prefix + name)
        .overrideConfiguration(within(0));
  }

  @Override
  public @Nullable Read get(String name) {
    GetObjectRequest request = reading(name).build();
    ResponseBytes<GetObjectResponse> read =
        attempts.run("get " + name, () -> client.getObject(request, ResponseTransformer.toBytes()));
    return read == null
        ? null
        : new Read(read.asByteArrayUnsafe(), Objects.requireNonNull(read.response().eTag()));
  }

  @Override
  public byte @Nullable [] read(String name, long offset, int bytes) {
    GetObjectRequest request =
        reading(name)
            .range("bytes=%d-%d".formatted(offset, offset + bytes - 1))
            .overrideConfiguration(within(bytes))
            .build();
    try {
      ResponseBytes<GetObjectResponse> read =
          attempts.run(
              "read " + name, () -> client.getObject(request, ResponseTransformer.toBytes()));
      return read == null ? null : read.asByteArrayUnsafe();
    } catch (Attempts.Refused pastTheEnd) {
      return new byte[0];
    }
  }

  @Override
  public @Nullable InputStream open(String name) {
    var stream = new ResumedStream(attempts, name, (from, tag) -> part(name, from, tag));
    return stream.begin() ? stream : null;
  }

  private ResumedStream.Part part(String name, long from, @Nullable String tag) {
    GetObjectRequest.Builder request = reading(name);
    if (from > 0) {
      request.range("bytes=%d-".formatted(from)).ifMatch(tag);
    }
    var in = client.getObject(request.build(), ResponseTransformer.toInputStream());
    return new ResumedStream.Part(
        in, in::abort, in.response().contentLength(), in.response().eTag());
  }

  @Override
  public @Nullable Found head(String name) {
    HeadObjectResponse found =
        attempts.run(
            "look at " + name,
            () ->
                client.headObject(request ->
                    request.bucket(bucket).key(prefix + name).overrideConfiguration(within(0))));
    return found == null
        ? null
        : new Found(found.contentLength(), Objects.requireNonNull(found.eTag()));
  }

  @Override
  public List<String> list(String under) {
    List<String> names = new ArrayList<>();
    var next = new AtomicReference<@Nullable String>();
    do {
      ListObjectsV2Response page =
          attempts.run(
              "list " + under,
              () ->
                  client.listObjectsV2(request ->
                      request
                          .bucket(bucket)
                          .prefix(prefix + under)
                          .continuationToken(next.get())
                          .overrideConfiguration(within(0))));
      if (page == null) {
        return List.of();
      }
      for (S3Object each : page.contents()) {
        names.add(each.key().substring(prefix.length()));
      }
      next.set(Boolean.TRUE.equals(page.isTruncated()) ? page.nextContinuationToken() : null);
    } while (next.get() != null);
    names.sort(null);
    return names;
  }

  @Override
  public void delete(String name) {
    var _ =
        attempts.run(
            "delete " + name,
            () ->
                client.deleteObject(request ->
                    request.bucket(bucket).key(prefix + name).overrideConfiguration(within(0))));
  }

  @Override
  public void tidy() {
    MultipartPut.tidy(client, attempts, bucket, prefix);
  }

  @Override
  public String toString() {
    return attempts.place();
  }
}
