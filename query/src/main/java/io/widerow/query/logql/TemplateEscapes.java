package io.widerow.query.logql;

import io.widerow.query.logql.TemplateFunctions.Arguments;
import io.widerow.query.logql.TemplateLibrary.Function;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/// The functions of Go's templates that make a text safe for HTML and JavaScript, and that cut a
/// part out of a value.
///
/// - Threads: any.
final class TemplateEscapes {
  private TemplateEscapes() {}

  /// Adds them.
  static void addTo(Map<String, Function> functions) {
    functions.put("html", call -> escaped(call, TemplateEscapes::html));
    functions.put("js", call -> escaped(call, TemplateEscapes::js));
    functions.put("urlquery", UrlText::encoded);
    functions.put("slice", TemplateEscapes::slice);
  }

  private interface Escape {
    /// Null for a character that stays as it is.
    @Nullable String of(int character);
  }

  private static String escaped(Arguments call, Escape escape) throws TemplateRun.Failed {
    String text =
        call.count() == 1 && call.get(0) instanceof String one
            ? one
            : GoFormat.print(call.values(), false, call::making);
    StringBuilder made = new StringBuilder(text.length());
    text.codePoints()
        .forEach(character -> {
          String instead = escape.of(character);
          if (instead == null) {
            made.appendCodePoint(character);
          } else {
            made.append(instead);
          }
        });
    call.making(made.length());
    return made.toString();
  }

  private static @Nullable String html(int character) {
    return switch (character) {
      case 0 -> "\ufffd";
      case '"' -> "&#34;";
      case '\'' -> "&#39;";
      case '&' -> "&amp;";
      case '<' -> "&lt;";
      case '>' -> "&gt;";
      default -> null;
    };
  }

  private static @Nullable String js(int character) {
    return switch (character) {
      case '\\', '\'', '"' -> "\\" + (char) character;
      case '<', '>', '&', '=' -> "\\u%04X".formatted(character);
      default -> character < ' ' ? "\\u%04X".formatted(character) : null;
    };
  }

  /// `slice x 1 2` is `x[1:2]`: bytes of a text, or items of a list.
  private static Object slice(Arguments call) throws TemplateRun.Failed {
    Object of = call.get(0);
    byte[] bytes = of instanceof String text ? text.getBytes(StandardCharsets.UTF_8) : null;
    List<?> items = of instanceof List<?> list ? list : List.of();
    if (bytes == null && !(of instanceof List<?>)) {
      throw call.wrong("can't slice item of type " + GoFormat.typed(of));
    }
    int length = bytes == null ? items.size() : bytes.length;
    int from = call.count() > 1 ? call.small(1) : 0;
    int until = call.count() > 2 ? call.small(2) : length;
    if (call.count() > 3) {
      throw call.wrong("cannot 3-index slice a string");
    }
    for (int index : new int[] {from, until}) {
      if (index < 0 || index > length) {
        throw call.wrong("index out of range: " + index);
      }
    }
    if (from > until) {
      throw call.wrong("invalid slice index: %d > %d".formatted(from, until));
    }
    return bytes == null
        ? List.copyOf(items.subList(from, until))
        : new String(Arrays.copyOfRange(bytes, from, until), StandardCharsets.UTF_8);
  }
}
