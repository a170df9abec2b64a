package io.widerow.query.result;

import io.widerow.event.NearestName;
import io.widerow.query.QueryException;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The parameters of a request, from HTTP or the command line: values by name.
public final class RequestParameters {
  private RequestParameters() {}

  /// @param known the names that the query takes
  /// @throws QueryException.Refused when there is another; it names it, the nearest, and all
  public static void requireKnown(Map<String, List<String>> given, List<String> known) {
    for (String name : given.keySet()) {
      if (!known.contains(name)) {
        throw new QueryException.Refused(
            name,
            "no such parameter%s known: %s"
                .formatted(NearestName.question(name, known, ";"), String.join(", ", known)));
      }
    }
  }

  /// The value of a parameter; null when it is not given.
  ///
  /// @throws QueryException.Refused when it is given several times
  public static @Nullable String single(Map<String, List<String>> given, String name) {
    List<String> values = given.getOrDefault(name, List.of());
    if (values.size() > 1) {
      throw new QueryException.Refused(
          name, "is given %d times: %s".formatted(values.size(), String.join(", ", values)));
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  /// The parameter `damage`: whether a result passes over what cannot be read, which otherwise ends
  /// it.
  ///
  /// @throws QueryException.Refused when it is neither `refuse` nor `skip`
  public static boolean skipsDamage(Map<String, List<String>> given) {
    String damage = single(given, "damage");
    return switch (damage) {
      case null -> false;
      case "refuse" -> false;
      case "skip" -> true;
      default ->
          throw new QueryException.Refused("damage", "must be refuse or skip, got " + damage);
    };
  }

  /// A parameter that is a whole number.
  ///
  /// @param otherwise the default
  /// @throws QueryException.Refused when it is something else, or out of its bounds
  public static int whole(
      Map<String, List<String>> given, String name, int least, int most, int otherwise) {
    String text = single(given, name);
    if (text == null) {
      return otherwise;
    }
    try {
      int number = Integer.parseInt(text);
      if (number >= least && number <= most) {
        return number;
      }
    } catch (NumberFormatException _) {
      // refused below
    }
    throw new QueryException.Refused(
        name, "must be a whole number from %d to %d, got %s".formatted(least, most, text));
  }
}
