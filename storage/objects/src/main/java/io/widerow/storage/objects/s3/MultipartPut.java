package io.widerow.storage.objects.s3;

import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.ObjectsException;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.CreateMultipartUploadResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.UploadPartRequest;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;

/// Puts a large object in parts: a broken connection costs a part, and objects of more than 5 GiB
/// can be put at all. Nothing is seen of the object before its last part is there.
///
/// - Threads: one.
///
/// @param key of the object in the bucket
record MultipartPut(
    S3Client client, Attempts attempts, String bucket, String key, ObjectStore.Content content) {
  /// Smaller objects are put at once.
  static final long BYTES_MIN = 64L << 20;

  private static final long PART_BYTES = 16L << 20;
  private static final int PARTS_MAX = 9_000;

  void run() {
    String what = "put " + key;
    CreateMultipartUploadResponse begun =
        attempts.run(
            what,
            () ->
                client.createMultipartUpload(request ->
                    request.bucket(bucket).key(key).overrideConfiguration(S3Objects.within(0))));
    if (begun == null) {
      throw new ObjectsException.Away("%s: %s: no such bucket".formatted(attempts.place(), what));
    }
    String upload = begun.uploadId();
    try {
      List<CompletedPart> parts = new ArrayList<>();
      long size = Math.max(PART_BYTES, content.bytes() / PARTS_MAX);
      for (long from = 0; from < content.bytes(); from += size) {
        parts.add(part(upload, parts.size() + 1, from, Math.min(size, content.bytes() - from)));
      }
      complete(upload, parts);
    } catch (RuntimeException failure) {
      abort(upload, failure);
      throw failure;
    }
  }

  private CompletedPart part(String upload, int number, long from, long length) {
    UploadPartRequest request =
        UploadPartRequest.builder()
            .bucket(bucket)
            .key(key)
            .uploadId(upload)
            .partNumber(number)
            .contentMD5(S3Objects.md5(content, from, length))
            .contentLength(length)
            .overrideConfiguration(S3Objects.within(length))
            .build();
    RequestBody body =
        RequestBody.fromContentProvider(
            () -> openAt(from, length), length, "application/octet-stream");
    UploadPartResponse put =
        attempts.run(
            "put part %d of %s".formatted(number, key), () -> client.uploadPart(request, body));
    if (put == null) {
      throw new ObjectsException.Away(
          "%s: put %s: its upload is gone".formatted(attempts.place(), key));
    }
    return CompletedPart.builder().partNumber(number).eTag(put.eTag()).build();
  }

  private InputStream openAt(long from, long length) {
    try {
      InputStream in = content.open();
      in.skipNBytes(from);
      return new Limited(in, length);
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private void complete(String upload, List<CompletedPart> parts) {
    try {
      var _ =
          attempts.run(
              "complete " + key,
              () ->
                  client.completeMultipartUpload(request ->
                      request
                          .bucket(bucket)
                          .key(key)
                          .uploadId(upload)
                          .multipartUpload(all -> all.parts(parts))
                          .overrideConfiguration(S3Objects.within(content.bytes()))));
    } catch (ObjectsException.Away failure) {
      if (!isThere()) { // unless only its answer was lost
        throw failure;
      }
    }
  }

  private boolean isThere() {
    var found =
        attempts.run(
            "look at " + key,
            () ->
                client.headObject(request ->
                    request.bucket(bucket).key(key).overrideConfiguration(S3Objects.within(0))));
    return found != null && found.contentLength() == content.bytes();
  }

  private void abort(String upload, RuntimeException failure) {
    try {
      abort(client, attempts, bucket, key, upload);
    } catch (RuntimeException another) {
      failure.addSuppressed(another);
    }
  }

  private static void abort(
      S3Client client, Attempts attempts, String bucket, String key, String upload) {
    var _ =
        attempts.run(
            "abort " + key,
            () ->
                client.abortMultipartUpload(request ->
                    request
                        .bucket(bucket)
                        .key(key)
                        .uploadId(upload)
                        .overrideConfiguration(S3Objects.within(0))));
  }

  /// Aborts uploads of a prefix that are older than a day: their processes were killed.
  static void tidy(S3Client client, Attempts attempts, String bucket, String prefix) {
    ListMultipartUploadsResponse found =
        attempts.run(
            "list uploads",
            () ->
                client.listMultipartUploads(request ->
                    request
                        .bucket(bucket)
                        .prefix(prefix)
                        .overrideConfiguration(S3Objects.within(0))));
    Instant limit = Instant.now().minus(Duration.ofDays(1));
    for (MultipartUpload each : found == null ? List.<MultipartUpload>of() : found.uploads()) {
      if (each.initiated().isBefore(limit)) {
        abort(client, attempts, bucket, each.key(), each.uploadId());
      }
    }
  }

  /// A part of a stream.
  private static final class Limited extends FilterInputStream {
    private long left;

    Limited(InputStream in, long bytes) {
      super(in);
      left = bytes;
    }

    @Override
    public int read() throws IOException {
      int got = left == 0 ? -1 : super.read();
      left -= got < 0 ? 0 : 1;
      return got;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      if (left == 0) {
        return -1;
      }
      int got = super.read(target, offset, (int) Math.min(left, length));
      left -= Math.max(0, got);
      return got;
    }
  }
}
