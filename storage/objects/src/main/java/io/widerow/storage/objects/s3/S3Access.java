package io.widerow.storage.objects.s3;

import io.widerow.storage.PemFiles;
import io.widerow.storage.objects.S3Options;
import java.nio.file.Path;
import java.time.Duration;
import javax.net.ssl.TrustManager;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.auth.credentials.AwsCredentialsProvider;
import software.amazon.awssdk.auth.credentials.DefaultCredentialsProvider;
import software.amazon.awssdk.auth.credentials.ProfileCredentialsProvider;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.profiles.ProfileFile;
import software.amazon.awssdk.profiles.ProfileFileSupplier;
import software.amazon.awssdk.regions.Region;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;

/// Makes the client of a server: whom to trust, which credentials, how long to wait. It repeats no
/// request; [Attempts] does.
final class S3Access {
  private static final Duration CONNECT = Duration.ofSeconds(10);
  private static final Duration SILENCE = Duration.ofSeconds(10);

  private S3Access() {}

  /// @throws IllegalArgumentException when an option cannot be used
  static S3Client client(S3Options options) {
    return client(options, SILENCE);
  }

  /// @param silence after which a server that sends nothing is away
  static S3Client client(S3Options options, Duration silence) {
    if (options.isOpen() && !options.insecure()) {
      throw new IllegalArgumentException(
          "s3-endpoint: %s is not on this machine; without TLS that needs --insecure"
              .formatted(options.endpoint()));
    }
    UrlConnectionHttpClient.Builder http =
        UrlConnectionHttpClient.builder().connectionTimeout(CONNECT).socketTimeout(silence);
    Path ca = options.ca();
    if (ca != null) {
      TrustManager[] trusted = PemFiles.trusted(ca);
      http.tlsTrustManagersProvider(() -> trusted);
    }
    S3ClientBuilder builder =
        S3Client.builder()
            .httpClientBuilder(http)
            .credentialsProvider(credentials(options.credentials()))
            .forcePathStyle(options.pathStyle())
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(S3Configuration.builder().chunkedEncodingEnabled(false).build())
            .overrideConfiguration(
                settings -> settings.retryStrategy(AwsRetryStrategy.doNotRetry()));
    if (options.endpoint() != null) {
      builder.endpointOverride(options.endpoint());
    }
    if (!options.region().isEmpty()) {
      builder.region(Region.of(options.region()));
    } else if (options.endpoint() != null) {
      builder.region(Region.US_EAST_1);
    }
    try {
      return builder.build();
    } catch (SdkClientException noRegion) {
      throw new IllegalArgumentException(
          "s3-region: set the region of the bucket, or AWS_REGION", noRegion);
    }
  }

  private static AwsCredentialsProvider credentials(@Nullable Path file) {
    if (file == null) {
      return DefaultCredentialsProvider.builder().build();
    }
    return ProfileCredentialsProvider.builder()
        .profileFile(ProfileFileSupplier.reloadWhenModified(file, ProfileFile.Type.CREDENTIALS))
        .build();
  }

  /// Where the credentials come from, for errors.
  static String hintOf(S3Options options) {
    Path file = options.credentials();
    return file == null ? "s3-credentials-file or the environment" : file.toString();
  }
}
