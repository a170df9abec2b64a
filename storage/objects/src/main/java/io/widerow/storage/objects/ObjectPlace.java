package io.widerow.storage.objects;

import java.nio.file.Path;
import java.util.ServiceLoader;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The place of a backup as it is configured: `file:/DIRECTORY` or `s3://BUCKET/PREFIX`.
///
/// @param url as it was given
/// @param directory null for a bucket
/// @param bucket null for a directory
public record ObjectPlace(String url, @Nullable Path directory, @Nullable Bucket bucket) {
  private static final String FILE = "file:";
  private static final String S3 = "s3:";
  private static final Pattern BUCKET =
      Pattern.compile("s3://([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])/([A-Za-z0-9._/-]{1,200}?)/?");
  private static final Pattern EMPTY_WORD = Pattern.compile("(^|.*/)(/.*|\\.{1,2}(/.*)?)");

  /// A part of a bucket of an S3 server.
  ///
  /// @param prefix of the names of objects, without a slash at its end
  public record Bucket(String name, String prefix) {}

  /// Makes a store of a kind of place. Found by a [ServiceLoader], so that the libraries of S3 are
  /// loaded only for a place that needs them.
  public interface Provider {
    /// @throws IllegalArgumentException when an option cannot be used
    ObjectStore open(Bucket bucket, S3Options options);
  }

  /// Reads a URL.
  ///
  /// @param key the key or option, for messages
  /// @throws IllegalArgumentException when it names no place
  public static ObjectPlace parse(String key, String url) {
    if (url.startsWith(S3)) {
      if (url.contains("@")) { // the value is not shown: it may have a secret
        throw new IllegalArgumentException(
            "%s must be s3://BUCKET/PREFIX without credentials; set s3-credentials-file"
                .formatted(key));
      }
      Matcher parts = BUCKET.matcher(url);
      if (!parts.matches() || EMPTY_WORD.matcher(parts.group(2)).matches()) {
        throw new IllegalArgumentException(
            "%s must be s3://BUCKET/PREFIX, got %s".formatted(key, url));
      }
      return new ObjectPlace(url, null, new Bucket(parts.group(1), parts.group(2)));
    }
    if (!url.startsWith(FILE + "/")) {
      throw new IllegalArgumentException(
          "%s must be file:/DIRECTORY or s3://BUCKET/PREFIX, got %s".formatted(key, url));
    }
    return new ObjectPlace(url, Path.of(url.substring(FILE.length())).normalize(), null);
  }

  /// @param options for a bucket
  /// @throws IllegalArgumentException when an option cannot be used
  public ObjectStore open(S3Options options) {
    if (bucket != null) {
      return ServiceLoader.load(Provider.class)
          .findFirst()
          .orElseThrow(() -> new IllegalStateException("the library of S3 is not there"))
          .open(bucket, options);
    }
    if (directory == null) {
      throw new IllegalStateException("neither a directory nor a bucket: " + url);
    }
    return new DirectoryObjects(directory);
  }
}
