package io.widerow.ingest.config;

import io.widerow.storage.Durability;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// Converts configuration texts to typed values. Errors name the key.
record ConfigValues(Map<String, String> texts) {
  String text(String key) {
    return texts.getOrDefault(key, "").strip();
  }

  static int parse(String key, String text) {
    try {
      return Integer.parseInt(text);
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "%s must be a number, got %s".formatted(key, text), notANumber);
    }
  }

  int number(String key) {
    return parse(key, text(key));
  }

  long bytes(String key) {
    try {
      return Long.parseLong(text(key));
    } catch (NumberFormatException notANumber) {
      throw new IllegalArgumentException(
          "%s must be a number, got %s".formatted(key, text(key)), notANumber);
    }
  }

  boolean truth(String key) {
    return switch (text(key)) {
      case "true" -> true;
      case "false" -> false;
      default ->
          throw new IllegalArgumentException(
              "%s must be true or false, got %s".formatted(key, text(key)));
    };
  }

  ZoneId zone(String key) {
    try {
      return ZoneId.of(text(key));
    } catch (DateTimeException noZone) {
      throw new IllegalArgumentException(
          "%s must be a time zone, got %s".formatted(key, text(key)), noZone);
    }
  }

  /// A file or directory; null when the key is empty.
  @Nullable Path path(String key) {
    try {
      return text(key).isEmpty() ? null : Path.of(text(key));
    } catch (InvalidPathException bad) {
      throw new IllegalArgumentException("%s: %s".formatted(key, bad.getMessage()), bad);
    }
  }

  Durability durability(String key) {
    return switch (text(key)) {
      case "quorum" -> Durability.QUORUM;
      case "disk" -> Durability.DISK;
      case "os" -> Durability.OS;
      case "memory" -> Durability.MEMORY;
      default ->
          throw new IllegalArgumentException(
              "%s must be quorum, disk, os or memory, got %s".formatted(key, text(key)));
    };
  }
}
