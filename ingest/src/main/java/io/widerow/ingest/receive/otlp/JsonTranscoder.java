package io.widerow.ingest.receive.otlp;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.ByteOrderMark;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.JsonScanner;
import io.widerow.ingest.decode.RepeatedNumbers;
import io.widerow.ingest.decode.SenderTime;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.ingest.receive.otlp.JsonMessage.Kind;
import io.widerow.ingest.receive.otlp.JsonMessage.Member;
import io.widerow.ingest.receive.otlp.JsonMessage.Role;
import java.util.Arrays;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// Writes a request in JSON as protobuf, token by token, so that both have one mapping and members
/// may come in any order. An error in a record is noted in [#places], and the record is left empty;
/// all other records are kept. An error in a resource or a scope is noted for each of its records;
/// when the request has no other records, it is refused.
///
/// Members that are not stored are skipped. Half a surrogate pair is kept as the text of its
/// escape, and the attribute [EscapedText#MARK] has their number.
///
/// - Threads: one.
/// - Memory: the protobuf, which is shorter than the text, except for arrays of short numbers.
final class JsonTranscoder {
  private static final String TRAILING = "something follows the JSON object";
  private static final int NESTED_MAX = 10_000; // of a skipped value

  private final JsonScanner json;
  private final AttributeTape text = new AttributeTape(); // its scratch holds unescaped text
  private final JsonNumbers numbers;
  private final SenderTime time = new SenderTime();
  private final long nowNanos;
  private final ProtobufWriter out;
  private final RecordOffsets places = new RecordOffsets();
  private final JsonMessage request;
  private boolean[] brackets = new boolean[16]; // around a skipped value: whether an object

  // The name of the member that is being read, for reasons.
  private int attributes; // the field of those of the message that is being read
  private int nameOffset;
  private int nameLimit;
  private boolean inRecord;
  private @Nullable BadField badFrame; // the first one

  /// @param nowNanos completes times without a year
  JsonTranscoder(byte[] body, int length, JsonMessage request, long nowNanos) {
    this.nowNanos = nowNanos;
    this.json = new JsonScanner(body, ByteOrderMark.skip(body, 0, length), length, false);
    this.numbers = new JsonNumbers(json, text);
    this.out = new ProtobufWriter(length);
    this.request = request;
  }

  byte[] bytes() {
    return out.bytes();
  }

  int length() {
    return out.length();
  }

  RecordOffsets places() {
    return places;
  }

  /// Reads the whole text.
  ///
  /// @throws BadField when it is no request
  void run() throws BadField {
    nameLimit = 0;
    try {
      if (json.peek() != '{') {
        throw new JsonScanner.Bad(json.at == json.limit ? JsonScanner.CUT : "not a JSON object");
      }
      object(request, 0);
      if (json.peek() != '\n' || json.at < json.limit) {
        throw new JsonScanner.Bad(TRAILING);
      }
      BadField around = badFrame;
      if (around != null && places.isAllFaults()) {
        throw around;
      }
    } catch (JsonScanner.Bad bad) {
      String name = "the request";
      if (nameLimit > nameOffset) {
        String shown = BadField.shown(json.bytes, nameOffset, nameLimit);
        name = shown.substring(1, shown.length() - 1);
      }
      throw new BadField(name, json.at, String.valueOf(bad.getMessage()));
    }
  }

  /// Reads the object at `json.at` as fields of a message that is open.
  ///
  /// @param depth of lists and maps around it, within one value
  private void object(JsonMessage type, int depth) throws JsonScanner.Bad, BadField {
    int before = json.loneSurrogates;
    json.expect('{');
    if (json.peek() == '}') {
      json.at++;
      return;
    }
    int expected = 0;
    while (true) {
      text.begin(json.bytes);
      nameLimit = 0;
      json.peek();
      int quote = json.at;
      json.string(text);
      nameOffset = quote + 1;
      nameLimit = json.at - 1;
      byte[] source = json.textInScratch ? text.scratch() : json.bytes;
      Member member = type.find(source, json.textOffset, json.textBytes, expected);
      json.expect(':');
      if (member == null) {
        skip();
      } else {
        expected = member.index + 1;
        attributes = type.attributes;
        value(member, depth);
      }
      if (json.peek() == '}') {
        json.at++;
        break;
      }
      json.expect(',');
    }
    if (type.attributes != 0 && json.loneSurrogates > before) {
      mark(type.attributes, json.loneSurrogates - before);
      json.loneSurrogates = before;
    }
  }

  private void mark(int field, int count) {
    int attribute = out.open(field);
    out.text(1, EscapedText.MARK, 0, EscapedText.MARK.length);
    int value = out.open(2);
    out.varint(AnyValues.WHOLE, count);
    out.close(value);
    out.close(attribute);
  }

  private void value(Member member, int depth) throws JsonScanner.Bad, BadField {
    int first = json.peek();
    if (first == 'n') {
      json.word("null");
    } else if (member.many) {
      if (first != '[') {
        throw new BadField(member.name, json.at, "expected an array");
      }
      array(member, depth);
    } else {
      single(member, first, depth);
    }
  }

  private void array(Member member, int depth) throws JsonScanner.Bad, BadField {
    json.at++;
    if (json.peek() == ']') {
      json.at++;
      return;
    }
    int packed = member.kind == Kind.MESSAGE ? 0 : out.open(member.field);
    int count = 0;
    while (true) {
      int first = json.peek();
      if (packed > 0) {
        packedNumber(member);
        if (++count > RepeatedNumbers.COUNT_MAX) {
          throw new BadField(member.name, json.at, "more numbers than fit into an event");
        }
      } else if (first == 'n' && member.type != null && member.type.role == Role.PLAIN) {
        json.word("null"); // a value that is not set
        out.close(out.open(member.field));
      } else {
        single(member, first, depth);
      }
      if (json.peek() == ']') {
        json.at++;
        break;
      }
      json.expect(',');
    }
    if (packed > 0) {
      out.close(packed);
    }
  }

  private void packedNumber(Member member) throws JsonScanner.Bad, BadField {
    if (member.kind == Kind.DOUBLE) {
      out.packedFixed64(Double.doubleToRawLongBits(numbers.fraction(member)));
    } else if (member.fixed) {
      out.packedFixed64(numbers.whole(member));
    } else {
      out.packedVarint(numbers.whole(member));
    }
  }

  private void single(Member member, int first, int depth) throws JsonScanner.Bad, BadField {
    switch (member.kind) {
      case TEXT -> {
        byte[] source = string(member, first);
        out.text(member.field, source, json.textOffset, json.textBytes);
      }
      case BASE64 -> base64(member, first);
      case HEX -> hex(member, first);
      case BOOLEAN -> out.varint(member.field, truth(member, first) ? 1 : 0);
      case DOUBLE -> {
        double value = numbers.fraction(member);
        if (numbers.isWide(member)) {
          out.text(AnyValues.STRING, numbers.source(), numbers.offset(), numbers.length());
        } else {
          out.fixed64(member.field, Double.doubleToRawLongBits(value));
        }
      }
      case ENUM -> out.varint(member.field, numbers.choice(member));
      case SINT32 -> {
        long value = numbers.whole(member);
        out.varint(member.field, (value << 1) ^ (value >> 63));
      }
      case UINT32 -> {
        long value = numbers.whole(member);
        if (member.fixed) {
          out.fixed32(member.field, (int) value);
        } else {
          out.varint(member.field, value);
        }
      }
      case TIME, OTHER_TIME -> time(member);
      case INT64, UINT64 -> {
        long value = numbers.whole(member);
        if (numbers.isWide(member)) {
          out.text(AnyValues.STRING, numbers.source(), numbers.offset(), numbers.length());
        } else if (member.fixed) {
          out.fixed64(member.field, value);
        } else {
          out.varint(member.field, value);
        }
      }
      case MESSAGE -> message(member, first, depth);
    }
  }

  /// Reads a time. One that is no number of protobuf is kept as it was sent: that of the event as
  /// the text of another field, any other one, when it is not understood, as an attribute.
  private void time(Member member) throws JsonScanner.Bad {
    text.begin(json.bytes);
    time.clear();
    time.json(json, text, 1, nowNanos);
    if (!time.isGiven()) {
      return;
    }
    byte[] source = time.isInScratch() ? text.scratch() : json.bytes;
    int from = time.offset();
    int end = from + time.length();
    boolean fits = time.nanos() >= 0 && time.nanos() != EpochText.TOO_LARGE;
    if (JsonNumbers.isUnsigned(source, from, end)) {
      out.fixed64(member.field, JsonNumbers.unsigned(source, from, end));
      return;
    }
    if (fits) {
      out.fixed64(member.field, time.nanos());
    }
    if (member.kind == Kind.TIME) {
      out.text(OtlpDecoder.TIME_TEXT, source, from, end - from);
      out.fixed64(OtlpDecoder.TIME_OF_TEXT, fits ? time.nanos() : TimeParser.NONE);
    } else if (!fits) {
      int attribute = out.open(attributes);
      out.text(1, member.bytes, 0, member.bytes.length);
      int value = out.open(2);
      out.text(AnyValues.STRING, source, from, end - from);
      out.close(value);
      out.close(attribute);
    }
  }

  private void message(Member member, int first, int depth) throws JsonScanner.Bad, BadField {
    JsonMessage type = Objects.requireNonNull(member.type, member.name);
    if (type.role == Role.ALONE) {
      record(member, type);
      return;
    }
    if (type.role == Role.FRAME && !inRecord) {
      frame(member, type);
      return;
    }
    if (first != '{') {
      throw new BadField(member.name, json.at, "expected an object");
    }
    if (type.role == Role.FRAME) {
      int start = out.openFixed(member.field);
      object(type, 0);
      out.closeFixed(start);
      return;
    }
    int inner = depth + (type.role == Role.NESTING ? 1 : 0);
    if (inner > AnyValues.DEPTH_MAX) { // its text
      int from = json.at;
      skip();
      out.text(AnyValues.STRING, json.bytes, from, json.at - from);
      return;
    }
    int start = out.open(member.field);
    object(type, inner);
    out.close(start);
  }

  /// Reads a resource or a scope. An error outside its records is noted for each of its records.
  private void frame(Member member, JsonMessage type) throws JsonScanner.Bad {
    int at = json.at;
    int surrogates = json.loneSurrogates;
    int start = out.openFixed(member.field);
    int place = places.count();
    try {
      if (json.peek() != '{') {
        throw new BadField(member.name, at, "expected an object");
      }
      object(type, 0);
    } catch (BadField bad) {
      badFrame = badFrame == null ? bad : badFrame;
      out.truncate(start);
      places.truncate(place);
      json.at = at;
      json.loneSurrogates = surrogates;
      faults(type, bad.reason());
      if (places.count() == place) { // its records cannot be seen
        fault(type, at, bad.reason());
      }
    }
    out.closeFixed(start);
  }

  /// Passes over the frame at `json.at`, and leaves each of its records empty, with a fault.
  private void faults(JsonMessage type, String reason) throws JsonScanner.Bad {
    if (json.peek() != '{') {
      skip();
      return;
    }
    Member records = type.records();
    json.at++;
    while (json.peek() != '}') {
      text.begin(json.bytes);
      json.string(text);
      byte[] source = json.textInScratch ? text.scratch() : json.bytes;
      boolean found = records.isNamed(source, json.textOffset, json.textBytes);
      json.expect(':');
      if (found && json.peek() == '[') {
        faultsOfArray(type, records, reason);
      } else {
        skip();
      }
      if (json.peek() != '}') {
        json.expect(',');
      }
    }
    json.at++;
  }

  private void faultsOfArray(JsonMessage type, Member records, String reason)
      throws JsonScanner.Bad {
    JsonMessage inner = Objects.requireNonNull(records.type, records.name);
    json.at++;
    while (json.peek() != ']') {
      if (inner.role == Role.ALONE) {
        fault(type, json.at, reason);
        skip();
      } else {
        int start = out.openFixed(records.field);
        faults(inner, reason);
        out.closeFixed(start);
      }
      if (json.peek() != ']') {
        json.expect(',');
      }
    }
    json.at++;
  }

  /// Adds an empty record with a fault to the frame that is open.
  private void fault(JsonMessage type, int at, String reason) {
    Member records = type.records();
    JsonMessage inner = Objects.requireNonNull(records.type, records.name);
    int start = out.openFixed(records.field);
    if (inner.role == Role.ALONE) {
      places.add(start, at);
      places.fault(reason);
    } else {
      fault(inner, at, reason);
    }
    out.closeFixed(start);
  }

  /// Reads a record. An error in it is noted.
  private void record(Member member, JsonMessage type) throws JsonScanner.Bad {
    int at = json.at;
    int surrogates = json.loneSurrogates;
    int start = out.openFixed(member.field);
    int place = places.count();
    boolean outer = inRecord;
    places.add(start, at);
    try {
      if (json.peek() != '{') {
        throw new BadField(member.name, at, "expected an object");
      }
      inRecord = true;
      object(type, 0);
    } catch (BadField bad) {
      out.truncate(start);
      places.truncate(place);
      places.add(start, at);
      places.fault(bad.reason());
      json.at = at;
      json.loneSurrogates = surrogates;
      skip();
    } finally {
      inRecord = outer;
    }
    out.closeFixed(start);
  }

  /// Reads a string.
  ///
  /// @return the array that it is in
  private byte[] string(Member member, int first) throws JsonScanner.Bad, BadField {
    if (first != '"') {
      throw new BadField(member.name, json.at, "expected a string");
    }
    text.begin(json.bytes);
    json.string(text);
    return json.textInScratch ? text.scratch() : json.bytes;
  }

  private boolean truth(Member member, int first) throws JsonScanner.Bad, BadField {
    switch (first) {
      case 't' -> json.word("true");
      case 'f' -> json.word("false");
      default -> throw new BadField(member.name, json.at, "expected true or false");
    }
    return first == 't';
  }

  private void hex(Member member, int first) throws JsonScanner.Bad, BadField {
    int at = json.at;
    byte[] source = string(member, first);
    int end = json.textOffset + json.textBytes;
    int start = out.open(member.field);
    for (int i = json.textOffset; i < end; i += 2) {
      int high = digit(source[i]);
      int low = i + 1 < end ? digit(source[i + 1]) : -1;
      if (high < 0 || low < 0) {
        String shown = BadField.shown(source, json.textOffset, end);
        throw new BadField(member.name, at, shown + " is no id in hexadecimal digits");
      }
      out.raw((high << 4) | low);
    }
    out.close(start);
  }

  private static int digit(byte b) {
    return b < 0 ? -1 : Character.digit(b, 16);
  }

  /// Reads base64 of either alphabet, with or without padding.
  private void base64(Member member, int first) throws JsonScanner.Bad, BadField {
    int at = json.at;
    byte[] source = string(member, first);
    int offset = json.textOffset;
    int end = offset + json.textBytes;
    while (end > offset && source[end - 1] == '=' && json.textBytes - (end - offset) < 2) {
      end--;
    }
    int start = out.open(member.field);
    int bits = 0;
    int held = 0;
    for (int i = offset; i < end; i++) {
      int six = six(source[i]);
      if (six < 0) {
        held = -1;
        break;
      }
      bits = (bits << 6) | six;
      held += 6;
      if (held >= 8) {
        held -= 8;
        out.raw(bits >>> held);
      }
    }
    if (held < 0 || held == 6) {
      String shown = BadField.shown(source, offset, offset + json.textBytes);
      throw new BadField(member.name, at, shown + " is no base64");
    }
    out.close(start);
  }

  private static int six(byte b) {
    if (b >= 'A' && b <= 'Z') {
      return b - 'A';
    }
    if (b >= 'a' && b <= 'z') {
      return b - 'a' + 26;
    }
    if (b >= '0' && b <= '9') {
      return b - '0' + 52;
    }
    return b == '+' || b == '-' ? 62 : b == '/' || b == '_' ? 63 : -1;
  }

  /// Passes over the value at `json.at`, whatever its numbers are and however deep it is.
  private void skip() throws JsonScanner.Bad {
    int depth = 0;
    do {
      int first = json.peek();
      if (first == '{' || first == '[') {
        boolean object = first == '{';
        json.at++;
        if (json.peek() != (object ? '}' : ']')) {
          open(depth++, object);
          if (object) {
            name();
          }
          continue;
        }
        json.at++;
      } else {
        scalar(first);
      }
      while (depth > 0 && json.peek() == (brackets[depth - 1] ? '}' : ']')) {
        json.at++;
        depth--;
      }
      if (depth > 0) {
        json.expect(',');
        if (brackets[depth - 1]) {
          name();
        }
      }
    } while (depth > 0);
  }

  private void open(int depth, boolean object) throws JsonScanner.Bad {
    if (depth == NESTED_MAX) {
      throw new JsonScanner.Bad("JSON nested deeper than %d levels".formatted(NESTED_MAX));
    }
    if (depth == brackets.length) {
      brackets = Arrays.copyOf(brackets, 2 * depth);
    }
    brackets[depth] = object;
  }

  private void name() throws JsonScanner.Bad {
    json.peek();
    int quote = json.at;
    quoted();
    nameOffset = quote + 1;
    nameLimit = json.at - 1;
    json.expect(':');
  }

  private void quoted() throws JsonScanner.Bad {
    int before = json.loneSurrogates;
    text.begin(json.bytes);
    json.string(text);
    json.loneSurrogates = before;
  }

  private void scalar(int first) throws JsonScanner.Bad {
    switch (first) {
      case '"' -> quoted();
      case 't' -> json.word("true");
      case 'f' -> json.word("false");
      case 'n' -> json.word("null");
      default -> {
        json.requireNumber(first);
        json.number();
      }
    }
  }
}
