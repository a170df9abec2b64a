package io.widerow.query.parquet;

import io.widerow.event.AttributeKind;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/// The names of kinds in the column `kinds`: `long`, `double`, `boolean`, `bytes`. A string has
/// none.
final class Kinds {
  private static final Map<AttributeKind, Binary> NAMES =
      Stream.of(AttributeKind.values())
          .collect(Collectors.toMap(kind -> kind, kind -> Binary.fromString(text(kind))));
  private static final Map<String, AttributeKind> BY_NAME =
      Stream.of(AttributeKind.values()).collect(Collectors.toMap(Kinds::text, kind -> kind));

  private Kinds() {}

  private static String text(AttributeKind kind) {
    return kind.name().toLowerCase(Locale.ROOT);
  }

  static Binary name(AttributeKind kind) {
    Binary name = NAMES.get(kind);
    if (name == null) {
      throw new IllegalStateException("no name of " + kind);
    }
    return name;
  }

  /// Null when there is no such kind.
  static @Nullable AttributeKind of(String name) {
    return BY_NAME.get(name);
  }
}
