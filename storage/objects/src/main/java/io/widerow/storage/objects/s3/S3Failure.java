package io.widerow.storage.objects.s3;

import java.net.ConnectException;
import java.net.NoRouteToHostException;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.Set;
import java.util.regex.Pattern;
import javax.net.ssl.SSLException;
import software.amazon.awssdk.awscore.exception.AwsServiceException;
import software.amazon.awssdk.core.exception.ApiCallAttemptTimeoutException;
import software.amazon.awssdk.core.exception.ApiCallTimeoutException;
import software.amazon.awssdk.core.exception.SdkException;

/// Why a request failed, and whether to make it again. Its sentence has the status and the code of
/// the server's response, but no other word of it: a response may repeat what was sent.
///
/// @param status of HTTP; 0 without a response
/// @param code of S3, such as `SlowDown`, or the kind of what failed here
record S3Failure(Kind kind, int status, String code) {
  /// What to do after a failure.
  enum Kind {
    NO_OBJECT,
    CONDITION,
    AGAIN,
    FINAL
  }

  private static final int NOT_FOUND = 404;
  private static final int TIMEOUT = 408;
  private static final int CONFLICT = 409;
  private static final int NOT_MET = 412;
  private static final int PAST_THE_END = 416;
  private static final int TOO_MANY = 429;
  private static final int SERVER = 500;
  private static final int NOT_IMPLEMENTED = 501;
  private static final int UNAVAILABLE = 503;
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9]");
  private static final int CODE_CHARACTERS = 60;

  /// Codes of a 4xx that another try may mend: the library has set its clock by the response, or
  /// reads other credentials.
  private static final Set<String> AGAIN =
      Set.of(
          "RequestTimeout",
          "RequestTimeTooSkewed",
          "RequestExpired",
          "ExpiredToken",
          "SlowDown",
          "Throttling",
          "OperationAborted");

  static S3Failure of(SdkException failure) {
    if (failure instanceof AwsServiceException answered) {
      int status = answered.statusCode();
      String given =
          answered.awsErrorDetails() == null ? "" : answered.awsErrorDetails().errorCode();
      String safe = UNSAFE.matcher(given == null ? "" : given).replaceAll("");
      String code = safe.substring(0, Math.min(safe.length(), CODE_CHARACTERS));
      return new S3Failure(kindOf(status, code), status, code);
    }
    String code = codeOf(failure);
    boolean isFinal = code.equals("certificate") || code.equals("credentials");
    return new S3Failure(isFinal ? Kind.FINAL : Kind.AGAIN, 0, code);
  }

  private static Kind kindOf(int status, String code) {
    if (status == NOT_FOUND) {
      return code.equals("NoSuchBucket") || code.equals("NoSuchUpload")
          ? Kind.FINAL
          : Kind.NO_OBJECT;
    }
    if (status == NOT_MET || status == PAST_THE_END || code.equals("ConditionalRequestConflict")) {
      return Kind.CONDITION;
    }
    boolean isBusy =
        (status >= SERVER && status != NOT_IMPLEMENTED)
            || status == TIMEOUT
            || status == TOO_MANY
            || status == CONFLICT;
    return isBusy || AGAIN.contains(code) ? Kind.AGAIN : Kind.FINAL;
  }

  private static String codeOf(SdkException failure) {
    if (failure instanceof ApiCallAttemptTimeoutException
        || failure instanceof ApiCallTimeoutException) {
      return "timeout";
    }
    for (Throwable at = failure; at != null; at = at.getCause()) {
      String named =
          switch (at) {
            case UnknownHostException _ -> "host";
            case ConnectException _ -> "refused";
            case NoRouteToHostException _ -> "refused";
            case SocketTimeoutException _ -> "timeout";
            case SSLException _ -> "certificate";
            default -> "";
          };
      if (!named.isEmpty()) {
        return named;
      }
    }
    String text = String.valueOf(failure.getMessage());
    return text.contains("credentials") || text.contains("Credentials") ? "credentials" : "reset";
  }

  /// Whether the server has done nothing for sure.
  boolean hadNoEffect() {
    return switch (code) {
      case "host", "refused" -> true;
      default -> (status != 0 && status < SERVER) || status == UNAVAILABLE;
    };
  }

  /// @param credentials where they come from
  String sentence(String credentials) {
    return switch (code) {
      case "NoSuchBucket" -> "there is no such bucket, and none is made";
      case "SlowDown", "Throttling" -> "the server asks for fewer requests" + inCode();
      case "RequestTimeTooSkewed", "RequestExpired" ->
          "the clocks of this machine and of the server differ too much" + inCode();
      case "ExpiredToken", "TokenRefreshRequired" ->
          "the credentials have expired%s; renew those of %s".formatted(inCode(), credentials);
      case "InvalidAccessKeyId", "SignatureDoesNotMatch", "InvalidToken", "InvalidSecurity" ->
          "the server does not know the credentials%s; see %s".formatted(inCode(), credentials);
      case "PermanentRedirect",
          "AuthorizationHeaderMalformed",
          "IllegalLocationConstraintException" ->
          "the bucket is in another region%s; set s3-region".formatted(inCode());
      case "host" -> "the name of its host is unknown";
      case "refused" -> "no connection to its server";
      case "timeout" -> "no answer in time";
      case "certificate" -> "its certificate is not trusted, or it has no TLS; see s3-ca";
      case "credentials" -> "there are no credentials; see " + credentials;
      case "reset" -> "the connection broke";
      default ->
          status == NOT_IMPLEMENTED
              ? "the server lacks a function that is needed" + inCode()
              : status == 403
                  ? "the credentials do not permit it%s; see %s".formatted(inCode(), credentials)
                  : "the server refused it" + inCode();
    };
  }

  private String inCode() {
    return " (%d%s)".formatted(status, code.isEmpty() ? "" : " " + code);
  }
}
