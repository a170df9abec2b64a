package io.widerow.query;

import java.net.URLDecoder;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/// Parameters of a query as text, in the form of a URL's query: `type=http&where=status+%3E+499`.
public final class ParameterText {
  /// Display parameters of the page's URL, in addition to the parameters of the query.
  public static final List<String> OF_PAGE =
      List.of(
          "view",
          "pick",
          "pickwhere",
          "cols",
          "widths",
          "find",
          "tail",
          "tz",
          "wrap",
          "map",
          "heat",
          "expr",
          "rate",
          "trace",
          "ansi");

  private ParameterText() {}

  /// Adds a parameter, unless its value is null: it was not given.
  public static void put(Map<String, List<String>> to, String name, @Nullable String value) {
    if (value != null) {
      to.put(name, List.of(value));
    }
  }

  public static String encode(Map<String, List<String>> parameters) {
    return parameters.entrySet().stream()
        .flatMap(entry ->
            entry.getValue().stream()
                .map(value ->
                    entry.getKey() + "=" + URLEncoder.encode(value, StandardCharsets.UTF_8)))
        .collect(Collectors.joining("&"));
  }

  /// Decodes the result of [#encode], in the same order. A part without a sign is a name without a
  /// value.
  ///
  /// @throws IllegalArgumentException when it is malformed
  public static Map<String, List<String>> decode(String text) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    for (String part : text.split("&", -1)) {
      int sign = part.indexOf('=');
      String name = sign < 0 ? part : part.substring(0, sign);
      String value = sign < 0 ? "" : part.substring(sign + 1);
      parameters
          .computeIfAbsent(name, _ -> new ArrayList<>())
          .add(URLDecoder.decode(value, StandardCharsets.UTF_8));
    }
    return parameters;
  }
}
