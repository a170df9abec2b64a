package io.widerow.query.json;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.io.JsonEOFException;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.LongConsumer;
import org.jspecify.annotations.Nullable;

/// A value of JSON as RFC 8259 defines it; control characters in strings need no escape.
///
/// @param kind the token with which the value begins
/// @param source an object or an array: the whole text; else the value: a string without quotes and
///   escapes, a number as it is written
/// @param from where the value begins in the source
/// @param until where it ends
/// @param members of an object, one of each name: the last one unless the parser was asked for the
///   first; else null
/// @param items of an array; else null
public record JsonNode(
    JsonToken kind,
    String source,
    int from,
    int until,
    @Nullable Map<String, JsonNode> members,
    @Nullable List<JsonNode> items) {
  /// Deepest nesting that queries and responses need.
  public static final int DEPTH_MAX = 64;

  /// Heap memory of a value, with its place in an object or an array.
  private static final long NODE_BYTES = 160;

  /// Heap memory of a parser, and of its error.
  private static final long PARSER_BYTES = 2_048;

  /// Keeps no names from one text to the next, and limits no lengths: the callers do.
  private static final JsonFactory FACTORY =
      JsonFactory.builder()
          .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
          .disable(JsonFactory.Feature.CANONICALIZE_FIELD_NAMES)
          .enable(JsonReadFeature.ALLOW_UNESCAPED_CONTROL_CHARS)
          .streamReadConstraints(
              StreamReadConstraints.builder()
                  .maxNestingDepth(Integer.MAX_VALUE)
                  .maxNumberLength(Integer.MAX_VALUE)
                  .maxStringLength(Integer.MAX_VALUE)
                  .maxNameLength(Integer.MAX_VALUE)
                  .build())
          .build();

  /// A parser of a text in UTF-8, which reads what a [JsonNode] is made of, token by token.
  public static JsonParser parser(byte[] utf8, int length) throws IOException {
    return FACTORY.createParser(utf8, 0, length);
  }

  /// A string.
  public static JsonNode text(String text) {
    return new JsonNode(JsonToken.VALUE_STRING, text, 0, text.length(), null, null);
  }

  public boolean isText() {
    return kind == JsonToken.VALUE_STRING;
  }

  public boolean isNull() {
    return kind == JsonToken.VALUE_NULL;
  }

  public boolean isBoolean() {
    return kind.isBoolean();
  }

  public int length() {
    return until - from;
  }

  /// A string without quotes and escapes; anything else as it is written.
  public String text(LongConsumer memory) {
    if (from == 0 && until == source.length()) {
      return source;
    }
    memory.accept((long) Character.BYTES * length());
    return source.substring(from, until);
  }

  @Override
  public String toString() {
    return text(_ -> {});
  }

  /// The members as texts, by name: a new map, which is empty for a value without members.
  public SortedMap<String, String> texts() {
    SortedMap<String, String> texts = new TreeMap<>();
    if (members != null) {
      members.forEach((name, value) -> texts.put(name, value.toString()));
    }
    return texts;
  }

  /// The value to which a path of names and indexes leads; null when there is none.
  public @Nullable JsonNode at(List<?> path) {
    JsonNode node = this;
    for (Object step : path) {
      JsonNode next = null;
      if (step instanceof Integer index) {
        List<JsonNode> of = node.items;
        next = of != null && index < of.size() ? of.get(index) : null;
      } else {
        Map<String, JsonNode> of = node.members;
        next = of == null ? null : of.get((String) step);
      }
      if (next == null) {
        return null;
      }
      node = next;
    }
    return node;
  }

  /// Parses a text of one value.
  ///
  /// @param depthMax most objects and arrays around a value
  /// @param memory receives the heap memory of the values before they are made
  /// @throws JsonException when the text is not one value
  public static JsonNode parse(String text, int depthMax, LongConsumer memory)
      throws JsonException {
    return new Reader(text, depthMax, memory).whole(null);
  }

  /// Hands over the members of a text of one object in order, those with equal names too.
  ///
  /// @throws JsonException when the text is not one object
  public static void members(String text, BiConsumer<String, JsonNode> member)
      throws JsonException {
    if (new Reader(text, DEPTH_MAX, _ -> {}).whole(member).kind != JsonToken.START_OBJECT) {
      throw new JsonException("expected an object", 0);
    }
  }

  private static final class Reader {
    private final String text;
    private final int depthMax;
    private final LongConsumer memory;
    private @Nullable BiConsumer<String, JsonNode> listener; // of the outermost object

    Reader(String text, int depthMax, LongConsumer memory) {
      this.text = text;
      this.depthMax = depthMax;
      this.memory = memory;
    }

    JsonNode whole(@Nullable BiConsumer<String, JsonNode> member) throws JsonException {
      listener = member;
      memory.accept(PARSER_BYTES + 2L * Character.BYTES * text.length()); // its copy, and a string
      requireStart();
      try (JsonParser parser = FACTORY.createParser(text)) {
        JsonNode node = value(parser, parser.nextToken(), 0);
        if (parser.nextToken() != null) {
          throw new JsonException("more than one value", start(parser));
        }
        return node;
      } catch (JsonEOFException _) {
        throw early();
      } catch (JsonProcessingException wrong) {
        long at = wrong.getLocation().getCharOffset();
        throw new JsonException(wrong.getOriginalMessage(), Math.clamp(at, 0, text.length()));
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible); // a text is not a file
      }
    }

    /// Most lines that are no JSON are refused here, at no cost.
    private void requireStart() throws JsonException {
      int at = 0;
      while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
        at++;
      }
      if (at < text.length() && "{[\"-0123456789tfn".indexOf(text.charAt(at)) < 0) {
        throw new JsonException("no value", at);
      }
    }

    private JsonException early() {
      return new JsonException("the text ends too early", text.length());
    }

    private static int start(JsonParser parser) {
      return (int) parser.currentTokenLocation().getCharOffset();
    }

    private JsonNode value(JsonParser parser, @Nullable JsonToken token, int depth)
        throws IOException, JsonException {
      if (token == null) {
        throw early();
      }
      if (depth > depthMax) {
        throw new JsonException("nested deeper than " + depthMax, start(parser));
      }
      memory.accept(NODE_BYTES);
      if (token.isScalarValue()) {
        memory.accept((long) Character.BYTES * parser.getTextLength());
        String scalar = parser.getText();
        return new JsonNode(token, scalar, 0, scalar.length(), null, null);
      }
      int from = start(parser);
      Map<String, JsonNode> members =
          token == JsonToken.START_OBJECT ? new LinkedHashMap<>() : null;
      List<JsonNode> items = members == null ? new ArrayList<>() : null;
      BiConsumer<String, JsonNode> member = listener;
      if (members != null && (depth > 0 || member == null)) {
        member = members::put;
      }
      for (JsonToken next = parser.nextToken(); next != null && !next.isStructEnd(); ) {
        if (items != null) {
          items.add(value(parser, next, depth + 1));
        } else if (member != null) {
          String name = parser.currentName();
          memory.accept((long) Character.BYTES * name.length());
          member.accept(name, value(parser, parser.nextToken(), depth + 1));
        }
        next = parser.nextToken();
      }
      int until = (int) parser.currentLocation().getCharOffset();
      return new JsonNode(token, text, from, until, members, items);
    }
  }
}
