package io.widerow.ingest.config;

import static io.widerow.ingest.config.Key.require;

import io.widerow.ingest.config.Key.Check;
import io.widerow.ingest.config.Key.Default;
import io.widerow.ingest.config.Key.Group;
import io.widerow.query.SecretFile;
import io.widerow.storage.FailureReason;
import io.widerow.storage.PemFiles;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.RetentionOptions;
import io.widerow.storage.objects.S3Options;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/// How the store is backed up.
///
/// @param s3 how to reach a bucket
/// @param every interval of shipping frames of the journals
/// @param checkpoint interval of checkpoints
/// @param retention how long the backup is kept
/// @param spoolBytes of journals that are kept while the place is away
public record BackupKeys(
    ObjectPlace place,
    S3Options s3,
    Duration every,
    Duration checkpoint,
    RetentionOptions retention,
    long spoolBytes) {
  static final Key<Optional<ObjectPlace>> BACKUP =
      key(
          "backup",
          Group.MAIN,
          Default.of(""),
          Form.PLACE,
          Check.any(),
          "where the store is backed up continuously, file:/DIRECTORY or s3://BUCKET/PREFIX; empty:"
              + " nowhere");

  private static final Key<Duration> EVERY =
      advanced(
          "backup-every",
          "2s",
          Form.DURATION,
          Check.any(),
          "interval of shipping frames of the journals to `backup`");

  private static final Key<Duration> CHECKPOINT =
      advanced(
          "backup-checkpoint",
          "1h",
          Form.DURATION,
          Check.any(),
          "interval of checkpoints; a restore replays at most so much");

  private static final Key<Duration> KEEP =
      advanced(
          "backup-keep",
          "7d",
          Form.DURATION,
          Check.any(),
          "span of which each second can be restored; what is older is deleted from `backup`");

  private static final Key<Integer> DAILY =
      advanced(
          "backup-daily",
          "35",
          Form.NUMBER,
          Check.range(0, 4_000),
          "days before `backup-keep` of which one moment each can be restored");

  private static final Key<Long> SPOOL_BYTES =
      advanced(
          "backup-spool-bytes",
          "4294967296",
          Form.LONG,
          Check.from(0),
          "journals that are kept while `backup` is away, at most a tenth of the free space");

  static final Key<Optional<URI>> S3_ENDPOINT =
      advanced(
          "s3-endpoint",
          "",
          Form.ENDPOINT,
          Check.any(),
          "address of the S3 server, http[s]://HOST[:PORT]; empty: AWS");

  private static final Key<String> S3_REGION =
      advanced(
          "s3-region",
          "",
          Form.TEXT,
          Check.any(),
          "region of the bucket; empty: that of the environment, or us-east-1 with `s3-endpoint`");

  private static final Key<Boolean> S3_PATH_STYLE =
      key(
          "s3-path-style",
          Group.ADVANCED,
          Default.computed(
              texts -> Boolean.toString(!texts.getOrDefault("s3-endpoint", "").isBlank()),
              "true with `s3-endpoint`",
              _ -> "s3-endpoint"),
          Form.TRUTH,
          Check.any(),
          "name the bucket in the path instead of the host");

  static final Key<Optional<Path>> S3_CREDENTIALS_FILE =
      advanced(
          "s3-credentials-file",
          "",
          Form.FILE,
          KeyChecks.readable(),
          "file, mode 0600, with credentials in AWS's format; empty: the environment, then the role"
              + " of the instance");

  static final Key<Optional<Path>> S3_CA =
      advanced(
          "s3-ca",
          "",
          Form.FILE,
          KeyChecks.readable(),
          "PEM file of the authorities that sign the S3 server's certificate; empty: the system's");

  /// In the order in which they are printed.
  static final List<Key<?>> ALL =
      List.of(
          BACKUP,
          EVERY,
          CHECKPOINT,
          KEEP,
          DAILY,
          SPOOL_BYTES,
          S3_ENDPOINT,
          S3_REGION,
          S3_PATH_STYLE,
          S3_CREDENTIALS_FILE,
          S3_CA);

  private static <T> Key<T> key(
      String name, Group group, Default fallback, Form<T> form, Check<T> check, String summary) {
    return new Key<>(name, group, fallback, form, check, summary);
  }

  private static <T> Key<T> advanced(
      String name, String fallback, Form<T> form, Check<T> check, String summary) {
    return key(name, Group.ADVANCED, Default.of(fallback), form, check, summary);
  }

  /// Null without a place.
  static @Nullable BackupKeys of(ConfigValues values, boolean insecure) {
    return values
        .get(BACKUP)
        .map(place ->
            new BackupKeys(
                place,
                s3(values, insecure),
                values.get(EVERY),
                values.get(CHECKPOINT),
                RetentionOptions.of(values.get(KEEP), values.get(DAILY)),
                values.get(SPOOL_BYTES)))
        .orElse(null);
  }

  /// How a bucket is reached.
  static S3Options s3(ConfigValues values, boolean insecure) {
    return new S3Options(
        values.get(S3_ENDPOINT).orElse(null),
        values.get(S3_REGION),
        values.get(S3_PATH_STYLE),
        values.get(S3_CREDENTIALS_FILE).orElse(null),
        values.get(S3_CA).orElse(null),
        insecure);
  }

  /// Checks the files that the keys of S3 name, and that what is sent cannot be read on the way.
  ///
  /// @throws IllegalArgumentException with the key in it
  public static void checkS3(S3Options s3) {
    require(
        s3.insecure() || !s3.isOpen(),
        "s3-endpoint: %s is not on this machine; without TLS that needs --insecure"
            .formatted(s3.endpoint()));
    Path credentials = s3.credentials();
    if (credentials != null) {
      try {
        SecretFile.requirePrivate(S3_CREDENTIALS_FILE.name(), credentials);
      } catch (IOException unreadable) {
        throw new IllegalArgumentException(
            "s3-credentials-file: cannot read %s: %s"
                .formatted(credentials, FailureReason.of(unreadable)),
            unreadable);
      }
    }
    Path ca = s3.ca();
    if (ca != null) {
      try {
        var _ = PemFiles.context(ca, null, null);
      } catch (IllegalArgumentException wrong) {
        throw new IllegalArgumentException("s3-ca: " + wrong.getMessage(), wrong);
      }
    }
  }
}
