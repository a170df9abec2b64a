package io.widerow.query;

import io.widerow.event.TypeGlob;
import java.util.List;
import java.util.function.Predicate;

/// The types that a query selects, as glob patterns: `*` stands for any text and `?` for one
/// character. An empty list selects every type.
///
/// @param globs the patterns
public record TypeGlobs(List<String> globs) implements Predicate<String> {
  public static final TypeGlobs ALL = new TypeGlobs(List.of());

  public TypeGlobs {
    globs = List.copyOf(globs);
  }

  @Override
  public boolean test(String type) {
    if (globs.isEmpty()) {
      return true;
    }
    for (String glob : globs) {
      if (TypeGlob.matches(glob, type)) {
        return true;
      }
    }
    return false;
  }
}
