package io.widerow.query;

import io.widerow.event.AttributeName;
import java.util.ArrayList;
import java.util.List;

/// Names of attributes as people write them.
public final class NameText {
  private NameText() {}

  /// @param parameter where the text comes from, for the message
  /// @throws QueryException.Refused when no attribute can have this name
  public static AttributeName parse(String parameter, String text) {
    try {
      return AttributeName.of(text);
    } catch (IllegalArgumentException refused) {
      throw new QueryException.Refused(parameter, String.valueOf(refused.getMessage()));
    }
  }

  /// Names separated by commas, with or without spaces.
  ///
  /// @param parameter where the text comes from, for the message
  /// @throws QueryException.Refused when no attribute can have one of these names
  public static List<AttributeName> parseList(String parameter, String text) {
    List<AttributeName> names = new ArrayList<>();
    for (String name : text.split(",", -1)) {
      names.add(parse(parameter, name.strip()));
    }
    return names;
  }
}
