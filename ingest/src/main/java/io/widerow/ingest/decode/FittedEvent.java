package io.widerow.ingest.decode;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeValue.ExactJson;
import io.widerow.event.EventBatch;
import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.event.Utf8;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/// Fits the names, values and type of an event to the limits of the store. Every receiver uses it,
/// so that no data of a sender is lost and no event is refused because of a name:
///
/// | sent | stored |
/// |---|---|
/// | an attribute without a name, or with a name of more than 255 bytes | a member of [#MEMBER] |
/// | attributes that an event has no room for, from the 998th on | members of [#MEMBER] |
/// | a JSON member given again | the last value; the values before it are members of [#MEMBER] |
/// | bytes that are not UTF-8, in name, text or type | `\xE9`, counted by [EscapedText#MARK] |
/// | such a text that is too long with its bytes escaped | bytes |
/// | a type of more than 128 bytes | its first bytes, `~` and a digest; the whole is [#TYPE] |
/// | an empty type | [#UNTYPED]; the attribute [#TYPE] is empty |
///
/// [#MEMBER] is one JSON object with the names as sent, in their order, and with the values of
/// [ExactJson]. A text that is JSON already, such as an array, is not quoted. If the sender uses
/// one of the three names, the event has `.2` after it.
///
/// It is used when the batch has rejected an event, so that other events do not pay for it.
///
/// - Threads: one, that of the tape.
public final class FittedEvent {
  /// The attribute with the members that no attribute can hold.
  public static final String MEMBER = "widerow.member";

  /// The attribute with the type as sent.
  public static final String TYPE = "widerow.type";

  /// The type of events with an empty one.
  public static final String UNTYPED = "untyped";

  /// The most attributes of one event that are read. More cannot fit into [#MEMBER]: each needs
  /// four bytes there.
  public static final int MEMBERS_MAX = EventLayout.EVENT_BYTES_MAX / 4;

  /// The most attributes that events share, such as the labels of a stream: every one of the events
  /// pays for them.
  public static final int SHARED_MAX = 1 << 12;

  private static final AttributeLevels ONE_LEVEL = new AttributeLevels("");
  private static final int OWN_ATTRIBUTES = 3;
  private static final int KEPT_MAX = EventLayout.ATTRIBUTES_MAX - OWN_ATTRIBUTES;
  private static final int DIGEST_BYTES = 8;
  private static final String CUT = "~";
  private static final byte[] BODY = "body".getBytes(StandardCharsets.US_ASCII);

  private final EventBatch events;
  private final AttributeTape tape;
  private final JsonText json;
  private final boolean bytesAsText; // else a text that is not UTF-8 is bytes
  private final byte[][] names;
  private byte[][] sentNames = {}; // the names before duplicates got new ones
  private final byte[] @Nullable [] texts; // of the attributes whose text is not UTF-8
  private final boolean[] kept;
  private long escaped;
  private boolean notText; // some text is not UTF-8

  private FittedEvent(EventBatch events, AttributeTape tape, boolean bytesAsText) {
    this.events = events;
    this.tape = tape;
    this.json = new JsonText(tape);
    this.bytesAsText = bytesAsText;
    this.names = new byte[tape.count()][];
    this.texts = new byte[tape.count()][];
    this.kept = new boolean[tape.count()];
  }

  /// Whether an event that was rejected so can be stored in another form.
  static boolean canFit(Rejection why) {
    return switch (why) {
      case TYPE_INVALID,
          TOO_MANY_ATTRIBUTES,
          ATTRIBUTE_NAME_INVALID,
          ATTRIBUTE_TWICE,
          TEXT_NOT_UTF8 ->
          true;
      default -> false;
    };
  }

  /// Writes the event that the batch has rejected once more, with its id and its time, and ends it.
  ///
  /// @return why it cannot be stored in this form either; null when it is
  static @Nullable Rejection write(
      EventBatch events, AttributeTape tape, byte[] type, int offset, int length) {
    if (length + bytes(tape) > EventLayout.EVENT_BYTES_MAX) {
      return Rejection.EVENT_TOO_LARGE; // here, before names as long as a body are copied
    }
    byte[] sentType = Arrays.copyOfRange(type, offset, offset + length); // it may be in the scratch
    int scratch = tape.scratchLimit();
    FittedEvent fitted = new FittedEvent(events, tape, true);
    Rejection why = fitted.write(sentType);
    tape.scratch.limit = scratch;
    boolean tooLong = why == Rejection.EVENT_TOO_LARGE || why == Rejection.TEXT_NOT_UTF8;
    if (tooLong && fitted.notText) {
      why = new FittedEvent(events, tape, false).write(sentType);
      tape.scratch.limit = scratch;
    }
    return why == Rejection.TEXT_NOT_UTF8 ? Rejection.EVENT_TOO_LARGE : why; // a name, escaped
  }

  /// Bytes of the names and texts.
  private static long bytes(AttributeTape tape) {
    long bytes = 0;
    for (int i = 0; i < tape.count(); i++) {
      boolean text = tape.kind(i) == AttributeKind.STRING || tape.kind(i) == AttributeKind.BYTES;
      bytes += tape.nameBytes(i) + (text ? tape.valueBytes(i) : 1);
    }
    return bytes;
  }

  /// The type under which events of a long or empty type are stored.
  ///
  /// @param type in UTF-8
  public static byte[] type(byte[] type) {
    if (type.length == 0) {
      return UNTYPED.getBytes(StandardCharsets.US_ASCII);
    }
    if (type.length <= EventLayout.TYPE_BYTES_MAX) {
      return type;
    }
    byte[] digest = Arrays.copyOf(Sha256.start().digest(type), DIGEST_BYTES);
    byte[] end = (CUT + HexFormat.of().formatHex(digest)).getBytes(StandardCharsets.US_ASCII);
    int start = Utf8.validEnd(type, 0, EventLayout.TYPE_BYTES_MAX - end.length);
    byte[] cut = Arrays.copyOf(type, start + end.length);
    System.arraycopy(end, 0, cut, start, end.length);
    return cut;
  }

  private @Nullable Rejection write(byte[] sentType) {
    takeNames();
    takeTexts();
    choose();
    long before = escaped;
    byte[] whole = escaped(sentType, 0, sentType.length, false);
    if (hasText(sentType)) {
      escaped = before; // counted with the attribute that has the same text
    }
    byte[] type = type(whole);
    events.beginAgain(type, 0, type.length);
    boolean all = true;
    for (int i = 0; i < names.length; i++) {
      if (kept[i]) {
        put(i);
      } else {
        all = false;
      }
    }
    boolean typeAsSent = Arrays.equals(type, whole);
    Set<String> taken = all && typeAsSent && escaped == 0 ? Set.of() : takenNames();
    if (!typeAsSent) {
      byte[] name = free(TYPE, taken);
      events.putString(name, 0, name.length, whole);
    }
    if (!all) {
      members(free(MEMBER, taken));
    }
    if (escaped > 0) {
      byte[] name = free(new String(EscapedText.MARK, StandardCharsets.US_ASCII), taken);
      events.putLong(name, 0, name.length, escaped);
    }
    return events.end();
  }

  /// Whether the text of an attribute is this one, as that of a label that gives the type is.
  private boolean hasText(byte[] text) {
    for (int i = 0; i < names.length; i++) {
      int from = tape.valueOffset(i);
      if (tape.kind(i) == AttributeKind.STRING
          && tape.valueBytes(i) == text.length
          && Arrays.equals(tape.valueSource(i), from, from + text.length, text, 0, text.length)) {
        return true;
      }
    }
    return false;
  }

  /// Takes the names under which attributes would be stored, if any name were good.
  private void takeNames() {
    for (int i = 0; i < names.length; i++) {
      byte[] newName = tape.newName(i);
      names[i] =
          newName != null
              ? newName
              : escaped(tape.nameSource(i), tape.nameOffset(i), tape.nameBytes(i), false);
    }
    sentNames = names.clone();
    Arrays.fill(kept, true);
    if (tape.lastWins()) {
      Set<String> later = new HashSet<>();
      for (int i = names.length - 1; i >= 0; i--) {
        kept[i] = later.add(key(names[i]));
      }
      return;
    }
    AttributeLevels levels = tape.levels();
    byte[] levelOf = new byte[names.length];
    for (int i = 0; i < names.length; i++) {
      levelOf[i] = (byte) tape.levelOf(i);
    }
    (levels == null ? ONE_LEVEL : levels).rename(names, levelOf);
  }

  private void takeTexts() {
    for (int i = 0; i < names.length; i++) {
      if (tape.kind(i) == AttributeKind.LONG && Arrays.equals(names[i], EscapedText.MARK)) {
        escaped += tape.bits(i); // by the decoder; it counts with those of here
        kept[i] = false;
        names[i] = EscapedText.MARK;
      } else if (tape.kind(i) == AttributeKind.STRING && bytesAsText) {
        byte[] source = tape.valueSource(i);
        int offset = tape.valueOffset(i);
        int length = tape.valueBytes(i);
        if (!Utf8.isValid(source, offset, length)) {
          notText = true;
          texts[i] = escaped(source, offset, length, tape.isJson(i));
        }
      }
    }
  }

  /// Chooses the attributes that stay attributes: first the text, then those of the event itself.
  private void choose() {
    int left = KEPT_MAX;
    boolean[] good = kept.clone();
    for (int pass = 0; pass < 3; pass++) {
      for (int i = 0; i < names.length; i++) {
        int length = names[i].length;
        int rank = Arrays.equals(names[i], BODY) ? 0 : tape.levelOf(i) == 0 ? 1 : 2;
        if (rank == pass && good[i]) {
          boolean fits = sentNames[i].length > 0 && length <= EventLayout.NAME_BYTES_MAX;
          kept[i] = fits && left > 0;
          left -= kept[i] ? 1 : 0;
        }
      }
    }
  }

  private void put(int i) {
    byte[] name = names[i];
    byte[] text = texts[i];
    switch (tape.kind(i)) {
      case LONG -> events.putLong(name, 0, name.length, tape.bits(i));
      case DOUBLE -> events.putDouble(name, 0, name.length, Double.longBitsToDouble(tape.bits(i)));
      case BOOLEAN -> events.putBoolean(name, 0, name.length, tape.bits(i) != 0);
      case BYTES -> bytes(i, name);
      case STRING -> {
        if (text != null) {
          events.putString(name, 0, name.length, text);
        } else if (isBytes(i)) {
          bytes(i, name);
        } else {
          events.putString(
              name, 0, name.length, tape.valueSource(i), tape.valueOffset(i), tape.valueBytes(i));
        }
      }
    }
  }

  private boolean isBytes(int i) {
    return !bytesAsText
        && !Utf8.isValid(tape.valueSource(i), tape.valueOffset(i), tape.valueBytes(i));
  }

  private void bytes(int i, byte[] name) {
    events.putBytes(
        name, 0, name.length, tape.valueSource(i), tape.valueOffset(i), tape.valueBytes(i));
  }

  /// Writes the attributes that are not kept as one JSON object.
  @SuppressWarnings("ReferenceEquality") // this very array marks the count of escaped bytes
  private void members(byte[] name) {
    int from = tape.scratchLimit();
    for (int i = 0; i < names.length; i++) {
      if (!kept[i] && names[i] != EscapedText.MARK) {
        json.raw(tape.scratchLimit() == from ? '{' : ',');
        json.quoted(sentNames[i], 0, sentNames[i].length);
        json.raw(':');
        value(i);
        if (tape.scratchLimit() - from > EventLayout.EVENT_BYTES_MAX) {
          events.reject(Rejection.EVENT_TOO_LARGE);
          return;
        }
      }
    }
    if (tape.scratchLimit() > from) {
      json.raw('}');
      events.putString(name, 0, name.length, tape.scratch(), from, tape.scratchLimit() - from);
    }
  }

  private void value(int i) {
    byte[] text = texts[i];
    switch (tape.kind(i)) {
      case LONG -> json.whole(tape.bits(i));
      case DOUBLE -> fraction(tape.bits(i));
      case BOOLEAN -> json.truth(tape.bits(i) != 0);
      case BYTES -> base64(i);
      case STRING -> {
        if (isBytes(i)) {
          base64(i);
          return;
        }
        byte[] source = text != null ? text : tape.valueSource(i);
        int offset = text != null ? 0 : tape.valueOffset(i);
        int length = text != null ? text.length : tape.valueBytes(i);
        if (tape.isJson(i)) {
          tape.appendScratch(source, offset, length);
        } else {
          json.quoted(source, offset, length);
        }
      }
    }
  }

  private void fraction(long bits) {
    if (Double.isFinite(Double.longBitsToDouble(bits))) {
      json.text(ExactJson.text(bits));
    } else {
      json.text("{\"" + ExactJson.DOUBLE + "\":\"" + ExactJson.text(bits) + "\"}");
    }
  }

  private void base64(int i) {
    json.text("{\"" + ExactJson.BYTES + "\":");
    json.base64(tape.valueSource(i), tape.valueOffset(i), tape.valueBytes(i));
    json.raw('}');
  }

  /// A copy of a text, with its bytes escaped that are not UTF-8.
  ///
  /// @param quoted whether the text is JSON, in which a backslash is written as two
  private byte[] escaped(byte[] source, int offset, int length, boolean quoted) {
    EscapedText copy = EscapedText.copyOf(source, offset, offset + length, quoted);
    if (copy == null) {
      return Arrays.copyOfRange(source, offset, offset + length);
    }
    escaped += copy.escaped();
    return Arrays.copyOf(copy.bytes(), copy.length());
  }

  private Set<String> takenNames() {
    Set<String> taken = new HashSet<>();
    for (int i = 0; i < names.length; i++) {
      if (kept[i]) {
        taken.add(key(names[i]));
      }
    }
    return taken;
  }

  private static byte[] free(String name, Set<String> taken) {
    String free = name;
    for (int number = 2; taken.contains(free); number++) {
      free = name + "." + number;
    }
    return free.getBytes(StandardCharsets.US_ASCII);
  }

  private static String key(byte[] name) {
    return new String(name, StandardCharsets.ISO_8859_1);
  }
}
