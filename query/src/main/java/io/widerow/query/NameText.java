package io.widerow.query;

import io.widerow.event.AttributeName;
import java.util.ArrayList;
import java.util.List;

/// Converts between names of attributes and their text in queries and results: `id`, `ts` and
/// `type` belong to the event, so attributes with these names are shown as `attributes.id` and so
/// on.
public final class NameText {
  /// The prefix of an attribute whose name is `id`, `ts` or `type`.
  public static final String PREFIX = "attributes.";

  private NameText() {}

  /// The name that answers show.
  public static String shown(String stored) {
    String bare = stored;
    while (bare.startsWith(PREFIX)) {
      bare = bare.substring(PREFIX.length());
    }
    return isOwn(bare) ? PREFIX + stored : stored;
  }

  /// The attribute that is meant by a name as answers show it.
  public static String stored(String shown) {
    String stored = shown.startsWith(PREFIX) ? shown.substring(PREFIX.length()) : shown;
    return shown(stored).equals(shown) ? stored : shown;
  }

  /// The attribute that is meant by a name as answers show it.
  public static AttributeName stored(AttributeName shown) {
    return AttributeName.of(stored(shown.toString()));
  }

  /// Returns true for names that are not attributes: `id`, `ts` and `type`.
  public static boolean isOwn(String name) {
    return name.equals("id") || name.equals("ts") || name.equals("type");
  }

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
