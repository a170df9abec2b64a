package io.widerow.ingest.http;

import com.linecorp.armeria.common.QueryParams;
import io.widerow.event.NearestName;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The query parameters of Widerow's own endpoints. Clients of other servers' protocols send
/// parameters of those servers, which we need not know.
public final class Parameters {
  private static final int NAME_CHARS_MAX = 100;

  private Parameters() {}

  /// @param known the names that the endpoint takes
  /// @throws RequestRefused when there is another; it names it, the nearest, and all
  public static void requireKnown(QueryParams given, List<String> known) throws RequestRefused {
    for (String name : given.names()) {
      if (!known.contains(name)) {
        String shown = name.substring(0, Math.min(NAME_CHARS_MAX, name.length()));
        throw RequestRefused.bad(
            "%s: no such parameter%s known: %s"
                .formatted(
                    shown, NearestName.question(name, known, ";"), String.join(", ", known)));
      }
    }
  }

  /// The value of a parameter; null when it is not given.
  ///
  /// @throws RequestRefused when it is given several times
  public static @Nullable String single(QueryParams given, String name) throws RequestRefused {
    List<String> values = given.getAll(name);
    if (values.size() > 1) {
      throw refused(
          "%s: is given %d times: %s".formatted(name, values.size(), String.join(", ", values)));
    }
    return values.isEmpty() ? null : values.getFirst();
  }

  /// The value of a parameter that must be given.
  ///
  /// @throws RequestRefused when it is missing, empty, or given several times
  public static String required(QueryParams given, String name) throws RequestRefused {
    String value = single(given, name);
    if (value == null || value.isEmpty()) {
      throw refused(name + ": is missing");
    }
    return value;
  }

  /// A parameter that is `true` or `false`; false when it is not given.
  ///
  /// @throws RequestRefused when it is anything else
  public static boolean flag(QueryParams given, String name) throws RequestRefused {
    String value = single(given, name);
    if (value != null && !value.equals("true") && !value.equals("false")) {
      throw refused("%s: must be true or false, got '%s'".formatted(name, value));
    }
    return "true".equals(value);
  }

  private static RequestRefused refused(String why) {
    return RequestRefused.bad(why);
  }
}
