package io.widerow.cql.type;

import java.util.Set;
import java.util.regex.Pattern;

/// Names as statements write them.
public final class Identifiers {
  private static final Pattern PLAIN = Pattern.compile("[a-z][a-z0-9_]*");

  /// Those of Cassandra 5.0.
  private static final Set<String> RESERVED =
      Set.of(
          ("add allow alter and apply asc authorize batch begin by columnfamily create delete desc"
                  + " describe drop entries execute from full grant if in index infinity insert"
                  + " into is keyspace limit materialized modify nan norecursive not null of on or"
                  + " order primary rename revoke schema select set table to token truncate"
                  + " unlogged update use using view where with")
              .split(" ", -1));

  /// Constants: their words are no names without quotes.
  private static final Set<String> CONSTANTS = Set.of("true", "false");

  /// Types with parameters.
  private static final Set<String> PARAMETRIC =
      Set.of("frozen", "list", "map", "set", "tuple", "vector");

  private Identifiers() {}

  /// True for a word in lower case that is no name without quotes.
  public static boolean isReserved(String word) {
    return RESERVED.contains(word);
  }

  /// A name, in quotes where it needs them.
  public static String quoted(String name) {
    boolean plain =
        PLAIN.matcher(name).matches() && !RESERVED.contains(name) && !CONSTANTS.contains(name);
    return plain ? name : inQuotes(name);
  }

  /// The name of a type of users, in quotes where it needs them, also where it is that of another
  /// type.
  public static String quotedType(String name) {
    boolean other = NativeType.of(name) != null || PARAMETRIC.contains(name);
    return other ? inQuotes(name) : quoted(name);
  }

  private static String inQuotes(String name) {
    return "\"" + name.replace("\"", "\"\"") + "\"";
  }

  /// A text as a constant.
  public static String constant(String text) {
    return "'" + text.replace("'", "''") + "'";
  }
}
