package io.widerow.ingest.receive.statsd;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeLevels;
import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.BadField;
import io.widerow.ingest.decode.DecimalText;
import io.widerow.ingest.decode.EpochText;
import io.widerow.ingest.decode.EscapedText;
import io.widerow.ingest.decode.FittedEvent;
import io.widerow.ingest.decode.IncomingBatch;
import io.widerow.ingest.decode.SenderTime;
import java.util.Arrays;
import java.util.List;

/// The part that all forms of messages share: the current line, its bytes, its sections, and the
/// attributes of its event.
///
/// - Threads: one.
/// - Memory: keeps its arrays; allocates nothing for a good line.
final class Message {
  private static final AttributeLevels LEVELS = new AttributeLevels("", "tag.");
  private static final int TAGS = 1; // level

  final AttributeTape tape = new AttributeTape(LEVELS);
  final DecimalText number = new DecimalText();
  private final Word rateName = constant("rate");
  private final List<Word> sectionNames =
      Section.ALL.stream().map(section -> constant(section.attribute)).toList();

  byte[] bytes = new byte[0];
  int at;
  int limit;
  private int start; // of the line
  private int escapedBytes; // of the copy that is decoded

  // The sections.
  private List<Section> known = List.of();
  private final int[] sectionFrom = new int[Section.ALL.size()];
  private final int[] sectionUntil = new int[Section.ALL.size()];
  private int sections; // where they begin
  private final SenderTime time = new SenderTime();
  long nowNanos; // completes times without a year
  private double rate; // negative when there is none

  /// A word that the scratch of the tape always holds.
  record Word(int offset, int bytes) {}

  /// Keeps a word. Only before the first line.
  Word constant(String word) {
    byte[] bytes = ascii(word);
    return new Word(tape.constant(bytes), bytes.length);
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
  /// @param those the sections that become attributes; all others are ignored
  /// @param metric whether the time is in `T`, else in `d:`
  void sections(List<Section> those, boolean metric) throws BadField {
    known = those;
    sections = at;
    time.clear();
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
        sectionFrom[section.place] = from + section.prefix.length;
        sectionUntil[section.place] = end;
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

  private void time(int from, int end) {
    time.text(bytes, false, from, end - from, EpochText.AUTO, nowNanos);
  }

  /// Puts the attributes of the sections on the tape, and the tags.
  ///
  /// @return false when no event may have so many tags
  boolean putAll() {
    if (rate >= 0) {
      name(rateName);
      tape.fraction(rate);
    }
    putSections();
    if (escapedBytes > 0) {
      tape.mark(EscapedText.MARK, escapedBytes);
    }
    tape.level(TAGS);
    boolean fit = putTags();
    tape.level(0);
    return fit;
  }

  /// Stores or refuses the event on the tape.
  void end(IncomingBatch batch, byte[] type, int typeOffset, int typeBytes) {
    long nanos = time.take(batch, tape);
    batch.events.begin(type, typeOffset, typeBytes, nanos);
    tape.writeTo(batch.events);
    boolean _ = batch.end(tape, type, typeOffset, typeBytes);
  }

  void name(Word name) {
    tape.name(true, name.offset(), name.bytes());
  }

  void text(Word text) {
    tape.string(true, text.offset(), text.bytes());
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
      int from = sectionFrom[section.place];
      if (from >= 0) {
        name(sectionNames.get(section.place));
        int length = sectionUntil[section.place] - from;
        if (section == Section.MESSAGE) {
          unescaped(from, length);
        } else {
          tape.string(false, from, length);
        }
      }
    }
  }

  private boolean putTags() {
    for (int from = sections; from < limit && bytes[from] == '|'; ) {
      int end = find('|', from + 1);
      int tag = from + 1;
      if (tag < end && bytes[tag] == '#' && !putTags(tag + 1, end)) {
        return false;
      }
      from = end;
    }
    return true;
  }

  /// Puts `name:value,name,...`. A tag without a colon after a name has an empty value, and an
  /// empty tag is none.
  private boolean putTags(int from, int until) {
    for (int tag = from; tag < until; ) {
      int colon = -1;
      int end = tag;
      for (; end < until && bytes[end] != ','; end++) {
        if (bytes[end] == ':' && colon < 0 && end > tag) {
          colon = end;
        }
      }
      if (end > tag) {
        if (tape.count() > FittedEvent.SHARED_MAX) {
          return false;
        }
        int value = colon < 0 ? end : colon + 1;
        tape.name(false, tag, (colon < 0 ? end : colon) - tag);
        tape.string(false, value, end - value);
      }
      tag = end + 1;
    }
    return true;
  }
}
