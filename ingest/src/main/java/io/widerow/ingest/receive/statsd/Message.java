package io.widerow.ingest.receive.statsd;

import io.widerow.event.EventLayout;
import io.widerow.event.Rejection;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.TagNames;
import io.widerow.ingest.decode.Times;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// One line that is being read: its bytes, its sections, and the attributes of its event. What all
/// forms of messages share.
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing for a good line.
final class Message {
  private static final byte[] RATE = ascii("rate");

  final AttributeTape tape = new AttributeTape();
  final DecimalText number = new DecimalText();
  private final TagNames tags = new TagNames(tape);

  byte[] bytes = new byte[0];
  int at;
  int limit;
  private int start; // of the line
  private int escapedBytes; // of the copy that is decoded

  // The sections.
  private List<Section> known = List.of();
  private final int[] sectionFrom = new int[Section.MAX]; // by place in the list
  private final int[] sectionUntil = new int[Section.MAX];
  private int sections; // where they begin
  private long timeNanos;
  private double rate; // negative when there is none

  /// Writes the attributes of one event, its own first.
  interface Writer {
    /// @param distinct whether names that are taken must be looked for
    @Nullable Rejection write(IncomingBatch batch, boolean distinct);
  }

  static byte[] ascii(String text) {
    return text.getBytes(StandardCharsets.US_ASCII);
  }

  void begin(byte[] line, int offset, int end) {
    bytes = line;
    start = offset;
    at = offset;
    limit = end;
    escapedBytes = 0;
  }

  /// Goes over to a copy of the line in which bytes that are not UTF-8 are escaped. What has been
  /// read so far must be ASCII, and so as long in the copy.
  void use(EscapedText copy) {
    at -= start;
    bytes = copy.bytes();
    start = 0;
    limit = copy.length();
    escapedBytes = copy.escaped();
  }

  /// Offset of the line.
  int start() {
    return start;
  }

  boolean begins(byte[] prefix) {
    int end = at + prefix.length;
    return end <= limit && Arrays.equals(bytes, at, end, prefix, 0, prefix.length);
  }

  /// The first such byte from `from` on, or the limit.
  int find(int wanted, int from) {
    int end = from;
    while (end < limit && bytes[end] != wanted) {
      end++;
    }
    return end;
  }

  BadField bad(String field, int offset, String wrong) {
    return new BadField(field, offset - start, wrong);
  }

  BadField bad(String field, int from, int until, String wanted) {
    return bad(field, from, "must be %s, got %s".formatted(wanted, shown(from, until)));
  }

  private String shown(int from, int until) {
    return BadField.shown(bytes, from, until);
  }

  /// Reads the sections from `at` on, up to the end of the message, or of a rate that a colon ends.
  ///
  /// @param those that become attributes; all others are ignored
  /// @param metric whether the time is in `T`, else in `d:`
  void sections(List<Section> those, boolean metric) throws BadField {
    known = those;
    sections = at;
    timeNanos = Times.NONE;
    rate = -1;
    Arrays.fill(sectionFrom, -1);
    while (at < limit && bytes[at] == '|') {
      int from = at + 1;
      int end = find('|', from);
      at = end;
      int first = from < end ? bytes[from] : 0;
      if (metric && first == '@') {
        rate(from + 1, end);
      } else if (metric && first == 'T') {
        time(from + 1, end);
      } else if (!metric && first == 'd' && from + 1 < end && bytes[from + 1] == ':') {
        time(from + 2, end);
      } else if (first != '#') {
        section(from, end);
      }
    }
  }

  private void section(int from, int end) {
    for (int i = 0; i < known.size(); i++) {
      Section section = known.get(i);
      if (section.begins(bytes, from, end)) {
        sectionFrom[i] = from + section.prefix.length;
        sectionUntil[i] = end;
        return;
      }
    }
  }

  private void rate(int from, int end) throws BadField {
    int until = from;
    while (until < end && bytes[until] != ':') {
      until++;
    }
    if (!number.read(bytes, from, until) || number.value <= 0) {
      throw bad("rate", from, until, "a number above 0");
    }
    rate = number.value;
    at = until;
  }

  private void time(int from, int end) throws BadField {
    timeNanos = Times.seconds(bytes, from, end);
    if (timeNanos == Times.NONE) {
      throw bad("time", from, end, "seconds since 1970");
    }
    timeNanos = timeNanos == 0 ? Times.NONE : timeNanos;
  }

  /// Stores or refuses the event of a writer.
  void write(IncomingBatch batch, Writer writer) {
    Rejection why = writer.write(batch, false);
    if (why == Rejection.ATTRIBUTE_TWICE) {
      why = writer.write(batch, true);
    }
    if (why != null) {
      batch.refuse(why.reason());
    }
  }

  /// Ends the event on the tape, which has its own attributes: adds those that all messages have,
  /// and the tags.
  @Nullable Rejection end(
      IncomingBatch batch, byte[] type, int typeOffset, int typeBytes, boolean distinct) {
    if (rate >= 0) {
      name(RATE);
      tape.fraction(rate);
    }
    putSections();
    if (escapedBytes > 0) {
      tape.mark(EscapedText.MARK, escapedBytes);
    }
    tags.begin(distinct);
    Rejection wrong = putTags();
    if (wrong != null) {
      return wrong;
    }
    long nanos = timeNanos == Times.NONE ? batch.useArrivalTime() : timeNanos;
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    return batch.tryEnd();
  }

  void name(byte[] name) {
    int offset = tape.scratchLimit();
    tape.appendScratch(name, 0, name.length);
    tape.name(true, offset, name.length);
  }

  void text(byte[] text) {
    int offset = tape.scratchLimit();
    tape.appendScratch(text, 0, text.length);
    tape.string(true, offset, text.length);
  }

  /// Puts a text in which `\n` stands for a newline, because a message is one line.
  void unescaped(int from, int length) {
    int end = from + length;
    int offset = tape.scratchLimit();
    for (int i = from; i < end; i++) {
      boolean newline = bytes[i] == '\\' && i + 1 < end && bytes[i + 1] == 'n';
      tape.appendScratch(newline ? '\n' : bytes[i]);
      i += newline ? 1 : 0;
    }
    tape.string(true, offset, tape.scratchLimit() - offset);
  }

  private void putSections() {
    for (int i = 0; i < known.size(); i++) {
      Section section = known.get(i);
      int from = sectionFrom[i];
      if (from >= 0) {
        name(section.attribute);
        int length = sectionUntil[i] - from;
        if (section == Section.MESSAGE) {
          unescaped(from, length);
        } else {
          tape.string(false, from, length);
        }
      }
    }
  }

  private @Nullable Rejection putTags() {
    for (int from = sections; from < limit && bytes[from] == '|'; ) {
      int end = find('|', from + 1);
      int tag = from + 1;
      if (tag < end && bytes[tag] == '#') {
        Rejection wrong = putTags(tag + 1, end);
        if (wrong != null) {
          return wrong;
        }
      }
      from = end;
    }
    return null;
  }

  /// Puts `name:value,name,...`. A tag without a colon has an empty value, and an empty tag is
  /// none.
  private @Nullable Rejection putTags(int from, int until) {
    for (int tag = from; tag < until; ) {
      int colon = -1;
      int end = tag;
      for (; end < until && bytes[end] != ','; end++) {
        if (bytes[end] == ':' && colon < 0 && end > tag) {
          colon = end;
        }
      }
      if (end > tag) {
        if (tape.count() > EventLayout.ATTRIBUTES_MAX) {
          return Rejection.TOO_MANY_ATTRIBUTES;
        }
        int nameEnd = colon < 0 ? end : colon;
        if (!tags.put(bytes, tag, nameEnd - tag)) {
          return Rejection.ATTRIBUTE_TWICE;
        }
        int value = colon < 0 ? end : colon + 1;
        tape.string(false, value, end - value);
      }
      tag = end + 1;
    }
    return null;
  }
}
