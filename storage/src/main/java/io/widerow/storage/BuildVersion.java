package io.widerow.storage;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;

/// The version that the build wrote into a resource of this package, and the commit.
public final class BuildVersion {
  private static final String VALUE = read();

  private BuildVersion() {}

  /// The version, such as `0.1.0`.
  public static String value() {
    return VALUE;
  }

  /// The commit that the launcher gives; `unknown` without it.
  public static String commit() {
    return System.getProperty("widerow.commit", "unknown");
  }

  private static String read() {
    try (InputStream resource = BuildVersion.class.getResourceAsStream("build.properties")) {
      Properties properties = new Properties();
      if (resource != null) {
        properties.load(resource);
      }
      return properties.getProperty("version", "unknown");
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }
}
