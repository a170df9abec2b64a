package io.widerow.storage.objects;

import java.nio.file.Path;

/// The place of a backup as it is configured: `file:/DIRECTORY`.
///
/// @param url as it was given
public record ObjectPlace(String url, Path directory) {
  private static final String FILE = "file:";

  /// Reads a URL.
  ///
  /// @param key the key or option, for messages
  /// @throws IllegalArgumentException when it names no place that this version can write to
  public static ObjectPlace parse(String key, String url) {
    if (url.startsWith("s3:")) {
      throw new IllegalArgumentException(
          "%s: this version backs up to file:/DIRECTORY only, not to S3, got %s"
              .formatted(key, url));
    }
    if (!url.startsWith(FILE + "/")) {
      throw new IllegalArgumentException("%s must be file:/DIRECTORY, got %s".formatted(key, url));
    }
    return new ObjectPlace(url, Path.of(url.substring(FILE.length())).normalize());
  }

  public ObjectStore open() {
    return new DirectoryObjects(directory);
  }
}
