package io.widerow.storage.objects.s3;

import io.widerow.storage.objects.ObjectsException;
import java.time.Duration;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.SdkException;

/// Makes requests, again when another try may help: after a pause that doubles and is half random,
/// or as long as the server asks for. Then the place is away.
///
/// - Threads: any.
///
/// @param place for errors
/// @param credentials where they come from, for errors
/// @param first pause after the first try, about
record Attempts(String place, String credentials, Duration first) {
  private static final int TRIES = 5;
  private static final Duration FIRST = Duration.ofMillis(200);
  private static final long WAIT_MILLIS_MAX = 5_000;

  Attempts(String place, String credentials) {
    this(place, credentials, FIRST);
  }

  /// What became of a request that may have been made several times.
  ///
  /// @param result null when there is no such object
  /// @param isSure false when an earlier try may have had its effect
  record Outcome<T>(@Nullable T result, boolean isSure) {}

  /// Makes a request; null when there is no such object.
  ///
  /// @param what it does, for errors
  /// @throws ObjectsException.Away when it has failed
  <T> @Nullable T run(String what, Supplier<T> request) {
    return outcome(what, request).result();
  }

  /// @throws Refused when a condition of the request is not met
  <T> Outcome<T> outcome(String what, Supplier<T> request) {
    boolean isSure = true;
    for (int tried = 1; ; tried++) {
      try {
        return new Outcome<>(request.get(), isSure);
      } catch (SdkException failure) {
        S3Failure read = S3Failure.of(failure);
        switch (read.kind()) {
          case NO_OBJECT -> {
            return new Outcome<>(null, isSure);
          }
          case CONDITION -> throw new Refused(isSure, failure);
          case FINAL -> throw away(what, read, failure);
          case AGAIN -> {
            if (tried == TRIES) {
              throw away(what, read, failure);
            }
            isSure &= read.hadNoEffect();
            pause(tried, failure);
          }
        }
      }
    }
  }

  /// A condition of a request was not met.
  static final class Refused extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final boolean sure;

    Refused(boolean sure, Throwable cause) {
      super(cause);
      this.sure = sure;
    }

    /// False when an earlier try may have changed what the condition is about.
    boolean isSure() {
      return sure;
    }
  }

  private ObjectsException.Away away(String what, S3Failure read, SdkException failure) {
    return new ObjectsException.Away(
        "%s: %s: %s".formatted(place, what, read.sentence(credentials)), failure);
  }

  private void pause(int tried, SdkException failure) {
    long doubled = first.toMillis() << (tried - 1);
    long millis = doubled / 2 + ThreadLocalRandom.current().nextLong(doubled / 2);
    long asked = retryAfterMillis(failure);
    pause(Duration.ofMillis(Math.min(WAIT_MILLIS_MAX, Math.max(millis, asked))));
  }

  static void pause(Duration wait) {
    try {
      TimeUnit.NANOSECONDS.sleep(wait.toNanos());
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new ObjectsException.Away("interrupted", interrupted);
    }
  }

  private static long retryAfterMillis(SdkException failure) {
    if (failure instanceof AwsServiceException answered && answered.awsErrorDetails() != null) {
      var response = answered.awsErrorDetails().sdkHttpResponse();
      String seconds =
          response == null ? "" : response.firstMatchingHeader("Retry-After").orElse("");
      if (seconds.matches("\\d{1,6}")) {
        return TimeUnit.SECONDS.toMillis(Long.parseLong(seconds));
      }
    }
    return 0;
  }
}
