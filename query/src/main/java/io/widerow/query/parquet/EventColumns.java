package io.widerow.query.parquet;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue.ExactJson;
import io.widerow.event.EventId;
import io.widerow.event.EventLayout;
import io.widerow.event.Utf8;
import io.widerow.query.remote.LineEvent;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.apache.parquet.io.api.Binary;
import org.apache.parquet.io.api.Converter;
import org.apache.parquet.io.api.GroupConverter;
import org.apache.parquet.io.api.PrimitiveConverter;
import org.apache.parquet.io.api.RecordMaterializer;
import org.jspecify.annotations.Nullable;

/// Makes events of the values in the columns of [EventSchema].
///
/// - Threads: one.
final class EventColumns extends RecordMaterializer<LineEvent> {
  // Of the current row.
  private String id = "";
  private long nanos;
  private String type = "";
  private @Nullable String body;
  private final Map<String, String> texts = new HashMap<>();
  private final Map<String, String> kinds = new HashMap<>();

  private final Root root = new Root(); // after the maps that it fills

  /// The values in the columns are not an event.
  static final class NoEvent extends RuntimeException {
    private static final long serialVersionUID = 1L;

    NoEvent(String why) {
      super(why);
    }
  }

  @Override
  public GroupConverter getRootConverter() {
    return root;
  }

  /// @throws NoEvent when the values are not those of an event
  @Override
  public LineEvent getCurrentRecord() {
    TreeMap<AttributeName, Object> attributes = new TreeMap<>();
    try {
      texts.forEach((name, text) -> attributes.put(AttributeName.of(name), value(name, text)));
      String text = body;
      if (text != null) {
        attributes.put(AttributeName.BODY, text);
      }
      return new LineEvent(EventId.parse(id), nanos, type, attributes);
    } catch (IllegalArgumentException bad) {
      throw new NoEvent(String.valueOf(bad.getMessage()));
    }
  }

  private Object value(String name, String text) {
    String kind = kinds.get(name);
    AttributeKind known = kind == null ? AttributeKind.STRING : Kinds.of(kind);
    return switch (known) {
      case null -> throw new NoEvent("%s is of an unknown kind, %s".formatted(name, kind));
      case STRING -> text;
      case LONG -> Long.parseLong(text);
      case DOUBLE -> ExactJson.parseDouble(text);
      case BOOLEAN -> truth(text);
      case BYTES -> Base64.getDecoder().decode(text);
    };
  }

  private static boolean truth(String text) {
    if (!text.equals("true") && !text.equals("false")) {
      throw new NoEvent("not a boolean: " + text);
    }
    return text.equals("true");
  }

  private static String text(Binary value) {
    ByteBuffer bytes = value.toByteBuffer(); // fails when its length is beyond the page
    byte[] utf8 = new byte[bytes.remaining()]; // which `getBytes` would allocate first
    bytes.get(utf8);
    if (!Utf8.isValid(utf8, 0, utf8.length)) {
      throw new NoEvent("a text that is not UTF-8");
    }
    return new String(utf8, StandardCharsets.UTF_8);
  }

  private final class Root extends GroupConverter {
    private final Converter[] columns = {
      new Texts(text -> id = text),
      new Numbers(), // ts, which ts_nanos has with more digits
      new Numbers() {
        @Override
        public void addLong(long value) {
          nanos = value;
        }
      },
      new Texts(text -> type = text),
      new Texts(text -> body = text),
      new Outer(new Entries(texts)),
      new Outer(new Entries(new HashMap<>())), // numbers, which attributes has as text
      new Outer(new Entries(kinds))
    };

    @Override
    public Converter getConverter(int field) {
      return columns[field];
    }

    @Override
    public void start() {
      body = null;
      texts.clear();
      kinds.clear();
    }

    @Override
    public void end() {}
  }

  private static final class Texts extends PrimitiveConverter {
    private final Consumer<String> take;

    Texts(Consumer<String> take) {
      this.take = take;
    }

    @Override
    public void addBinary(Binary value) {
      take.accept(text(value));
    }
  }

  private static class Numbers extends PrimitiveConverter {
    @Override
    public void addLong(long value) {}

    @Override
    public void addDouble(double value) {}
  }

  /// The group around the entries of a map.
  private static final class Outer extends GroupConverter {
    private final Entries entries;

    Outer(Entries entries) {
      this.entries = entries;
    }

    @Override
    public Converter getConverter(int field) {
      return entries;
    }

    @Override
    public void start() {
      entries.count = 0;
    }

    @Override
    public void end() {}
  }

  /// The entries of a map.
  private static final class Entries extends GroupConverter {
    private final Map<String, String> map;
    private final Texts keys = new Texts(this::key);
    private final PrimitiveConverter values =
        new Numbers() {
          @Override
          public void addBinary(Binary text) {
            value = text(text);
          }
        };
    private String key = "";
    private String value = "";
    private int count;

    Entries(Map<String, String> map) {
      this.map = map;
    }

    private void key(String text) {
      key = text;
    }

    @Override
    public Converter getConverter(int field) {
      return field == 0 ? keys : values;
    }

    @Override
    public void start() {
      if (++count > EventLayout.ATTRIBUTES_MAX) {
        throw new NoEvent("more than %d attributes".formatted(EventLayout.ATTRIBUTES_MAX));
      }
    }

    @Override
    public void end() {
      map.put(key, value);
    }
  }
}
