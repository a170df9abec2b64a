package io.widerow.query.parse;

import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.query.json.JsonNode;
import io.widerow.storage.NumberText;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// An object of JSON. Members of inner objects get names with dots: `{"a":{"b":1}}` has the field
/// `a.b`. Values keep the kinds of JSON; an array is its text, null is no field. Of members of
/// equal names the first counts.
record JsonFormat() implements TextFormat {
  private static final int UNIT_BYTES_MAX = 4;
  private static final int PATH_CHARS_MAX = 1_000;

  @Override
  public boolean parse(ParsedText text) {
    byte[] bytes = text.bytes();
    int limit = text.length();
    int start = 0;
    while (start < limit && bytes[start] <= ' ' && bytes[start] >= 0) {
      start++;
    }
    if (start == limit || bytes[start] != '{') {
      return false; // most lines that are no JSON, at no cost
    }
    if (text.indexOf((char) 0, start, Math.min(limit, start + UNIT_BYTES_MAX)) >= 0) {
      return false; // else it would be read as UTF-16
    }
    try (JsonParser parser = JsonNode.parser(bytes, limit)) {
      JsonToken _ = parser.nextToken();
      return new Reading(parser, text).object(0) && parser.nextToken() == null;
    } catch (IOException notJson) {
      return false;
    }
  }

  /// One text as it is read, from its start to its end.
  private static final class Reading {
    private final JsonParser parser;
    private final ParsedText text;
    private final StringBuilder path = new StringBuilder(); // of the objects, a dot after each
    private int at; // a byte of the text, and the number of its character
    private long chars;

    Reading(JsonParser parser, ParsedText text) {
      this.parser = parser;
      this.text = text;
    }

    /// Reads members up to the end of the object.
    ///
    /// @return false when it is nested too deep
    boolean object(int depth) throws IOException {
      if (depth == JsonNode.DEPTH_MAX) {
        return false;
      }
      int outer = path.length();
      while (parser.nextToken() == JsonToken.FIELD_NAME) {
        String member = parser.currentName();
        JsonToken value = parser.nextToken();
        if (value == JsonToken.START_OBJECT) {
          path.append(member).append('.');
          if (path.length() > PATH_CHARS_MAX || !object(depth + 1)) {
            return false;
          }
          path.setLength(outer);
          continue;
        }
        AttributeName name = text.isFull() ? null : nameOf(member);
        if (name != null && value != null && text.find(name) < 0) {
          put(value, name);
        } else {
          parser.skipChildren();
        }
      }
      return parser.currentToken() == JsonToken.END_OBJECT;
    }

    private @Nullable AttributeName nameOf(String member) {
      int made = text.made();
      String whole = path.isEmpty() ? member : path + member;
      text.make(whole.getBytes(StandardCharsets.UTF_8));
      AttributeName name = text.nameOf(made, text.made());
      text.unmake(made);
      return name;
    }

    private void put(JsonToken token, AttributeName name) throws IOException {
      switch (token) {
        case VALUE_TRUE -> text.putBits(name, AttributeKind.BOOLEAN, 1);
        case VALUE_FALSE -> text.putBits(name, AttributeKind.BOOLEAN, 0);
        case VALUE_NUMBER_INT, VALUE_NUMBER_FLOAT -> number(name);
        case VALUE_STRING -> text.putMade(name, parser.getText().getBytes(StandardCharsets.UTF_8));
        case START_ARRAY -> {
          int from = offset(parser.currentTokenLocation().getCharOffset());
          parser.skipChildren();
          text.putText(name, from, offset(parser.currentLocation().getCharOffset()));
        }
        default -> {} // null
      }
    }

    /// Where a character of the text begins, whose number is counted in UTF-16 and not less than
    /// that of the last call.
    private int offset(long wanted) {
      while (chars < wanted && at < text.length()) {
        int lead = Byte.toUnsignedInt(text.bytes()[at]);
        at += lead < 0x80 ? 1 : lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
        chars += lead < 0xf0 ? 1 : 2;
      }
      return Math.min(at, text.length());
    }

    private void number(AttributeName name) throws IOException {
      byte[] digits = parser.getText().getBytes(StandardCharsets.US_ASCII);
      AttributeValue value = new AttributeValue();
      value.setText(AttributeKind.STRING, MemorySegment.ofArray(digits), 0, digits.length);
      if (NumberText.read(value) && Double.isFinite(value.asDouble())) {
        text.putBits(name, value.kind(), value.bits());
      } else {
        text.putMade(name, digits);
      }
    }
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "json";
  }
}
