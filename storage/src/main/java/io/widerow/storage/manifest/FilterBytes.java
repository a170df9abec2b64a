package io.widerow.storage.manifest;

import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.event.FoldedText;
import io.widerow.event.Level;
import io.widerow.event.Text;
import io.widerow.storage.Filter;
import io.widerow.storage.Filter.Comparison;
import io.widerow.storage.Filter.Literal;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

/// A filter as bytes, so that a store can hide events before any text is parsed.
///
/// ```
///   0 everything      1 and, 2 or: count (2) | parts      3 not | filter      4 exists | name
///   5 compare | name | comparison (1) | literal           6 contains | name | text
///   7 contains in any case | name | text                  8 has words | name | text
///   9 of type | filter        10 of time | comparison (1) | ns (8)
///   11 of id | time (8) | tail (8)    12 of level | comparison (1) | level (1)    13 has level
///   a name, a text: bytes (4) | UTF-8
///   a literal: 0 text, 1 whole (8), 2 fraction (8), 3 truth (1)
/// ```
///
/// Big-endian. A test that is opaque to the store, such as a regular expression, has no bytes.
final class FilterBytes {
  private static final int DEPTH_MAX = 200;

  /// By their codes, which never change.
  private static final List<Comparison> COMPARISONS =
      List.of(
          Comparison.EQUAL,
          Comparison.NOT_EQUAL,
          Comparison.LESS,
          Comparison.LESS_OR_EQUAL,
          Comparison.GREATER,
          Comparison.GREATER_OR_EQUAL);

  /// By their codes, which never change.
  private static final List<Level> LEVELS =
      List.of(
          Level.TRACE,
          Level.DEBUG,
          Level.INFO,
          Level.WARN,
          Level.ERROR,
          Level.CRITICAL,
          Level.FATAL);

  private FilterBytes() {}

  /// @throws IllegalArgumentException when a part of it is opaque
  static void write(Filter filter, DataOutputStream out) throws IOException {
    switch (filter) {
      case Filter.Everything() -> out.writeByte(0);
      case Filter.And(var parts) -> writeAll(1, parts, out);
      case Filter.Or(var parts) -> writeAll(2, parts, out);
      case Filter.Not(var inner) -> {
        out.writeByte(3);
        write(inner, out);
      }
      case Filter.Exists(var name) -> writeNamed(4, name, out);
      case Filter.Compare(var name, var comparison, var literal) -> {
        writeNamed(5, name, out);
        out.writeByte(COMPARISONS.indexOf(comparison));
        write(literal, out);
      }
      case Filter.Contains(var name, var needle) -> {
        writeNamed(6, name, out);
        write(needle.toString(), out);
      }
      case Filter.ContainsFolded(var name, var needle) -> {
        writeNamed(7, name, out);
        write(needle.toString(), out);
      }
      case Filter.Has(var name, var words) -> {
        writeNamed(8, name, out);
        write(words.toString(), out);
      }
      case Filter.OfType(var test) -> {
        out.writeByte(9);
        write(test, out);
      }
      case Filter.OfTime(var comparison, var nanos) -> {
        out.writeByte(10);
        out.writeByte(COMPARISONS.indexOf(comparison));
        out.writeLong(nanos);
      }
      case Filter.OfId(var id) -> {
        out.writeByte(11);
        out.writeLong(id.time());
        out.writeLong(id.tail());
      }
      case Filter.OfLevel(var comparison, var level) -> {
        out.writeByte(12);
        out.writeByte(COMPARISONS.indexOf(comparison));
        out.writeByte(LEVELS.indexOf(level));
      }
      case Filter.HasLevel() -> out.writeByte(13);
      case Filter.ArrivedBefore _ ->
          throw new IllegalArgumentException(
              "where: must not test the arrival; a deletion sets that limit itself");
      case Filter.Matches _ ->
          throw new IllegalArgumentException(
              "where: a stored filter takes no regular expression; use contains, has or"
                  + " comparisons");
    }
  }

  private static void writeAll(int tag, List<Filter> parts, DataOutputStream out)
      throws IOException {
    out.writeByte(tag);
    out.writeShort(parts.size());
    for (Filter part : parts) {
      write(part, out);
    }
  }

  private static void writeNamed(int tag, AttributeName name, DataOutputStream out)
      throws IOException {
    out.writeByte(tag);
    write(name.toString(), out);
  }

  private static void write(Literal literal, DataOutputStream out) throws IOException {
    switch (literal) {
      case Literal.Word(var text) -> {
        out.writeByte(0);
        write(text.toString(), out);
      }
      case Literal.Whole(var value) -> {
        out.writeByte(1);
        out.writeLong(value);
      }
      case Literal.Fraction(var value) -> {
        out.writeByte(2);
        out.writeDouble(value);
      }
      case Literal.Truth(var value) -> {
        out.writeByte(3);
        out.writeBoolean(value);
      }
    }
  }

  static void write(String text, DataOutputStream out) throws IOException {
    byte[] utf8 = text.getBytes(StandardCharsets.UTF_8);
    out.writeInt(utf8.length);
    out.write(utf8);
  }

  /// @throws IOException when the bytes are no filter
  static Filter read(DataInputStream in) throws IOException {
    return read(in, 0);
  }

  private static Filter read(DataInputStream in, int depth) throws IOException {
    if (depth > DEPTH_MAX) {
      throw new IOException("a filter of more than %d levels".formatted(DEPTH_MAX));
    }
    int tag = in.readUnsignedByte();
    return switch (tag) {
      case 0 -> new Filter.Everything();
      case 1 -> new Filter.And(readAll(in, depth));
      case 2 -> new Filter.Or(readAll(in, depth));
      case 3 -> new Filter.Not(read(in, depth + 1));
      case 4 -> new Filter.Exists(name(in));
      case 5 -> new Filter.Compare(name(in), comparison(in), literal(in));
      case 6 -> new Filter.Contains(name(in), Text.of(text(in)));
      case 7 -> new Filter.ContainsFolded(name(in), FoldedText.of(text(in)));
      case 8 -> new Filter.Has(name(in), Text.of(text(in)));
      case 9 -> new Filter.OfType(read(in, depth + 1));
      case 10 -> new Filter.OfTime(comparison(in), in.readLong());
      case 11 -> new Filter.OfId(new EventId(in.readLong(), in.readLong()));
      case 12 -> new Filter.OfLevel(comparison(in), level(in));
      case 13 -> new Filter.HasLevel();
      default -> throw new IOException("a filter of kind " + tag);
    };
  }

  private static List<Filter> readAll(DataInputStream in, int depth) throws IOException {
    List<Filter> parts = new ArrayList<>();
    for (int left = in.readUnsignedShort(); left > 0; left--) {
      parts.add(read(in, depth + 1));
    }
    return parts;
  }

  private static AttributeName name(DataInputStream in) throws IOException {
    return AttributeName.of(text(in));
  }

  private static Comparison comparison(DataInputStream in) throws IOException {
    int code = in.readUnsignedByte();
    if (code >= COMPARISONS.size()) {
      throw new IOException("comparison " + code);
    }
    return COMPARISONS.get(code);
  }

  private static Level level(DataInputStream in) throws IOException {
    int code = in.readUnsignedByte();
    if (code >= LEVELS.size()) {
      throw new IOException("level " + code);
    }
    return LEVELS.get(code);
  }

  private static Literal literal(DataInputStream in) throws IOException {
    int kind = in.readUnsignedByte();
    return switch (kind) {
      case 0 -> new Literal.Word(Text.of(text(in)));
      case 1 -> new Literal.Whole(in.readLong());
      case 2 -> new Literal.Fraction(in.readDouble());
      case 3 -> new Literal.Truth(in.readBoolean());
      default -> throw new IOException("literal of kind " + kind);
    };
  }

  static String text(DataInputStream in) throws IOException {
    int length = in.readInt();
    if (length < 0 || length > in.available()) {
      throw new IOException("text of %d bytes".formatted(length));
    }
    byte[] utf8 = new byte[length];
    in.readFully(utf8);
    return new String(utf8, StandardCharsets.UTF_8);
  }
}
