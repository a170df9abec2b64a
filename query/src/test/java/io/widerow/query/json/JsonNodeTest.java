package io.widerow.query.json;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/// Goal: JSON is read whole or refused, with its texts as written. Method: random documents whose
/// values are known; each cut at every place; a table of texts that are no JSON; depth; memory.
class JsonNodeTest {
  private static final int DOCUMENTS = 500;
  private static final List<String> SCALARS =
      List.of(
          "true",
          "false",
          "null",
          "0",
          "-0",
          "1e400",
          "-1.50E+07",
          "9223372036854775808",
          "123456789012345678901234567890.5",
          "\"\"",
          "\"a\tb\nc\"",
          "\"\\u0041\\n\\\"\\\\\\/\"",
          "\"\\ud83d\\ude00\"",
          "\"\\udead\"",
          "\"\u00e9\"");

  private final SplittableRandom random = new SplittableRandom(7);

  private static JsonNode parse(String text) throws JsonException {
    return JsonNode.parse(text, JsonNode.DEPTH_MAX, _ -> {});
  }

  private String blanks() {
    return " \t\r\n".substring(0, random.nextInt(5)).repeat(random.nextInt(2));
  }

  /// A random value; the text of each scalar and of each container goes to `all`.
  private String value(int depth, String path, Map<String, String> all) {
    int kind = depth > 3 ? 2 : random.nextInt(3);
    if (kind == 2) {
      String scalar = SCALARS.get(random.nextInt(SCALARS.size()));
      all.put(path, scalar);
      return scalar;
    }
    List<String> parts = new ArrayList<>();
    for (int i = random.nextInt(4); i > 0; i--) {
      String name = kind == 0 ? "n" + random.nextInt(3) : "" + parts.size();
      all.keySet().removeIf(old -> old.startsWith(path + "." + name)); // the last one counts
      String value = value(depth + 1, path + "." + name, all);
      parts.add(blanks() + (kind == 0 ? "\"" + name + "\"" + blanks() + ":" : "") + value);
    }
    String inside = String.join(blanks() + ",", parts) + blanks();
    String text = kind == 0 ? "{" + inside + "}" : "[" + inside + "]";
    all.put(path, text);
    return text;
  }

  private static void collect(JsonNode node, String path, Map<String, JsonNode> all) {
    all.put(path, node);
    if (node.members() != null) {
      node.members().forEach((name, member) -> collect(member, path + "." + name, all));
    }
    for (int i = 0; node.items() != null && i < node.items().size(); i++) {
      collect(node.items().get(i), path + "." + i, all);
    }
  }

  @Test
  void aDocumentHasItsValuesAsWrittenAndIsRefusedWhenCut() throws JsonException {
    for (int i = 0; i < DOCUMENTS; i++) {
      Map<String, String> wanted = new HashMap<>();
      String value = value(0, "", wanted);
      String text = blanks() + value + blanks();
      Map<String, JsonNode> found = new HashMap<>();
      collect(parse(text), "", found);
      assertEquals(wanted.keySet(), found.keySet(), text);
      for (Map.Entry<String, String> one : wanted.entrySet()) {
        JsonNode node = found.get(one.getKey());
        assertTrue(node != null && (node.isText() || node.toString().equals(one.getValue())), text);
        assertEquals(one.getValue().startsWith("\""), node.isText(), text);
      }
      boolean number = "-0123456789".indexOf(value.charAt(0)) >= 0;
      String stripped = text.strip();
      for (int end = 0; end < stripped.length() && !number; end++) {
        String cut = stripped.substring(0, end);
        JsonException refused = assertThrows(JsonException.class, () -> parse(cut), cut);
        assertTrue(refused.position() >= 0 && refused.position() <= end, cut);
      }
      for (String more : List.of("1", "{}", ",", "]", "x", "\"")) {
        assertThrows(JsonException.class, () -> parse(stripped + " " + more), text + more);
      }
    }
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        " ",
        "x",
        "nul",
        "nulll",
        "True",
        "01",
        "-",
        "+1",
        ".5",
        "1.",
        "1e",
        "1e+",
        "0x1",
        "NaN",
        "Infinity",
        "-Infinity",
        "'a'",
        "\"\\x\"",
        "\"\\u12g4\"",
        "\"\\u12",
        "[1,]",
        "[,1]",
        "[1 2]",
        "{\"a\":1,}",
        "{a:1}",
        "{'a':1}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{1:1}",
        "[1}",
        "{]",
        "1 2",
        "{}{}",
        "/* a */1",
        "1//",
        "#1",
        "\u00a01",
        "\ufeff1",
        "[1\u000b]",
        "[\u001e1]"
      })
  void everythingElseIsRefused(String text) {
    JsonException refused = assertThrows(JsonException.class, () -> parse(text));
    assertTrue(String.valueOf(refused.getMessage()).contains(" at pos "), refused.getMessage());
    assertTrue(refused.position() <= text.length(), refused.getMessage());
  }

  @Test
  void nestingIsLimited() throws JsonException {
    int depth = JsonNode.DEPTH_MAX;
    assertEquals("1", inside(parse("[".repeat(depth) + "1" + "]".repeat(depth)), depth).toString());
    for (int deeper : new int[] {depth + 1, 100_000}) {
      String text = "[".repeat(deeper) + "1" + "]".repeat(deeper);
      JsonException refused = assertThrows(JsonException.class, () -> parse(text));
      assertEquals("nested deeper than 64 at pos 66", refused.getMessage());
    }
  }

  private static JsonNode inside(JsonNode node, int depth) {
    return depth == 0 || node.items() == null ? node : inside(node.items().getFirst(), depth - 1);
  }

  @Test
  void memoryIsReservedForAllTextsAndValues() throws JsonException {
    String text = "{\"%s\":\"%s\"}".formatted("n".repeat(50_000), "\\n".repeat(50_000));
    long[] reserved = {0};
    JsonNode _ = JsonNode.parse(text, JsonNode.DEPTH_MAX, bytes -> reserved[0] += bytes);
    assertTrue(reserved[0] >= 2L * (text.length() + 100_000), "" + reserved[0]);
    assertThrows(
        IllegalStateException.class,
        () ->
            JsonNode.parse(
                text,
                JsonNode.DEPTH_MAX,
                bytes -> {
                  throw new IllegalStateException("refused " + bytes);
                }));
  }
}
