package io.widerow.storage.objects;

import java.net.InetAddress;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/// How to reach an S3 server. It has no secrets itself.
///
/// @param endpoint of a server that is not AWS; null for AWS
/// @param region empty for that of the environment, or `us-east-1` with an endpoint
/// @param pathStyle whether the bucket is named in the path instead of the host
/// @param credentials file with credentials in AWS's format; null for the environment, then the
///   role of the instance
/// @param ca PEM file of the authorities that sign the server's certificate; null for the system's
/// @param insecure whether another machine may be reached without TLS
public record S3Options(
    @Nullable URI endpoint,
    String region,
    boolean pathStyle,
    @Nullable Path credentials,
    @Nullable Path ca,
    boolean insecure) {
  /// AWS, as the environment says.
  public static final S3Options NONE = new S3Options(null, "", false, null, null, false);

  /// Reads an endpoint.
  ///
  /// @param key the key or option, for messages
  public static URI endpoint(String key, String url) {
    if (url.contains("@")) { // the value is not shown: it may have a secret
      throw new IllegalArgumentException(
          key + " must be http[s]://HOST[:PORT] without credentials");
    }
    try {
      URI read = URI.create(url);
      boolean isHttp = "https".equals(read.getScheme()) || "http".equals(read.getScheme());
      if (isHttp
          && read.getHost() != null
          && (read.getRawPath().isEmpty() || read.getRawPath().equals("/"))
          && read.getRawQuery() == null
          && read.getRawFragment() == null) {
        return read;
      }
    } catch (IllegalArgumentException unreadable) {
      throw new IllegalArgumentException(
          "%s must be http[s]://HOST[:PORT], got %s".formatted(key, url), unreadable);
    }
    throw new IllegalArgumentException(
        "%s must be http[s]://HOST[:PORT], got %s".formatted(key, url));
  }

  /// Whether what is sent can be read on a network on the way.
  public boolean isOpen() {
    if (endpoint == null || "https".equals(endpoint.getScheme())) {
      return false;
    }
    try {
      return !InetAddress.getByName(endpoint.getHost()).isLoopbackAddress();
    } catch (UnknownHostException unknown) {
      return true;
    }
  }
}
