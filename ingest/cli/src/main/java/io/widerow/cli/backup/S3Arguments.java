package io.widerow.cli.backup;

import io.widerow.ingest.config.BackupKeys;
import io.widerow.query.QueryException;
import io.widerow.storage.objects.ObjectPlace;
import io.widerow.storage.objects.ObjectStore;
import io.widerow.storage.objects.S3Options;
import java.net.URI;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// How to reach the bucket of a backup, as the daemon's keys of these names say.
public final class S3Arguments {
  @Option(
      names = "--s3-endpoint",
      paramLabel = "URL",
      description = "Address of the S3 server, http[s]://HOST[:PORT]. Default: AWS.")
  @Nullable String endpoint;

  @Option(
      names = "--s3-region",
      paramLabel = "NAME",
      defaultValue = "",
      description = "Region of the bucket. Default: that of the environment.")
  String region = "";

  @Option(
      names = "--s3-path-style",
      paramLabel = "true|false",
      arity = "1",
      description = "Name the bucket in the path. Default: true with --s3-endpoint.")
  @Nullable Boolean pathStyle;

  @Option(
      names = "--s3-credentials-file",
      paramLabel = "FILE",
      description =
          "Credentials in AWS's format, mode 0600. Default: the environment, then the role of the"
              + " instance.")
  @Nullable Path credentials;

  @Option(
      names = "--s3-ca",
      paramLabel = "FILE",
      description = "PEM file of the authorities that sign the server's certificate.")
  @Nullable Path ca;

  @Option(names = "--insecure", description = "Reach another machine without TLS.")
  boolean insecure;

  /// The same as keys of a daemon.
  public Map<String, String> keys() {
    Map<String, String> keys = new TreeMap<>();
    put(keys, "s3-endpoint", endpoint);
    put(keys, "s3-region", region.isEmpty() ? null : region);
    put(keys, "s3-path-style", pathStyle);
    put(keys, "s3-credentials-file", credentials);
    put(keys, "s3-ca", ca);
    put(keys, "insecure", insecure ? true : null);
    return keys;
  }

  private static void put(Map<String, String> keys, String key, @Nullable Object value) {
    if (value != null) {
      keys.put(key, value.toString());
    }
  }

  /// Opens a place.
  ///
  /// @param option whose value the URL is
  ObjectStore open(String option, String url) {
    try {
      URI at = endpoint == null ? null : S3Options.endpoint("s3-endpoint", endpoint);
      var s3 =
          new S3Options(
              at, region, pathStyle == null ? at != null : pathStyle, credentials, ca, insecure);
      ObjectPlace place = ObjectPlace.parse(option, url);
      if (place.bucket() != null) {
        BackupKeys.checkS3(s3);
      }
      return place.open(s3);
    } catch (IllegalArgumentException wrong) {
      String why = String.valueOf(wrong.getMessage());
      String named = why.startsWith("s3-") ? why.substring(0, why.indexOf(' ')) : option;
      String name = named.endsWith(":") ? named.substring(0, named.length() - 1) : named;
      throw new QueryException.Refused(name, why.replaceFirst("^" + name + ":? ", ""));
    }
  }
}
