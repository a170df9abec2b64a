package io.widerow.ingest.receive.prometheus;

import static io.widerow.event.Utf8.ascii;

import io.widerow.ingest.decode.AttributeTape;
import io.widerow.ingest.decode.ProtobufReader;
import io.widerow.ingest.decode.ProtobufReader.Bad;
import io.widerow.ingest.decode.RepeatedNumbers;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// An exemplar of a series: a value with labels of its own, such as the id of a trace. It becomes
/// an event with the labels of the series.
///
/// ```
///   1.0   1 label {1 name, 2 value}   2 value (double)   3 time (ms)
///   2.0   1 references of symbols     2 value            3 time
/// ```
///
/// - Threads: one, that of the tape.
final class Exemplar {
  /// Before the name of a label of its own.
  private static final byte[] PREFIX = ascii("exemplar.");

  private static final int LABELS_MAX = 128;

  private final AttributeTape tape;
  private final TapeName valueName;
  private final RepeatedNumbers references = new RepeatedNumbers();
  private int[] texts = new int[16]; // offset and length of a name, then of its value
  private int count; // of texts
  private double value;
  private long millis;

  Exemplar(AttributeTape tape) {
    this.tape = tape;
    valueName = TapeName.of(tape, "exemplar");
  }

  /// Reads the message that the reader is in.
  ///
  /// @param symbols that labels refer to; null for version 1.0
  void read(ProtobufReader reader, byte[] body, @Nullable Symbols symbols, int seriesAt)
      throws Bad {
    count = 0;
    value = 0;
    millis = 0;
    references.clear();
    while (reader.next()) {
      switch (reader.field()) {
        case 1 -> {
          if (symbols == null) {
            label(reader);
          } else {
            references.addWholes(reader);
          }
        }
        case 2 -> value = Double.longBitsToDouble(reader.fixed64());
        case 3 -> millis = reader.varint();
        default -> reader.skip();
      }
    }
    for (int i = 0; symbols != null && i < references.count() / 2 * 2; i++) {
      long spot = symbols.spot(references.at(i), seriesAt);
      add(Symbols.offset(spot), Symbols.length(spot));
    }
  }

  private void label(ProtobufReader reader) throws Bad {
    int outer = reader.enter();
    int at = count;
    add(0, 0);
    add(0, 0);
    while (reader.next()) {
      int field = reader.field();
      if (field == 1 || field == 2) {
        reader.text();
        texts[2 * (at + field - 1)] = reader.offset();
        texts[2 * (at + field - 1) + 1] = reader.length();
      } else {
        reader.skip();
      }
    }
    reader.leave(outer);
  }

  private void add(int offset, int length) throws Bad {
    if (count == 2 * LABELS_MAX) {
      throw new Bad("an exemplar with more than %d labels".formatted(LABELS_MAX));
    }
    if (2 * count == texts.length) {
      texts = Arrays.copyOf(texts, 2 * texts.length);
    }
    texts[2 * count] = offset;
    texts[2 * count + 1] = length;
    count++;
  }

  long millis() {
    return millis;
  }

  /// Puts it on the tape.
  void write(byte[] body) {
    valueName.to(tape);
    tape.fraction(value);
    for (int i = 0; i < count; i += 2) {
      int name = tape.scratchLimit();
      tape.appendScratch(PREFIX, 0, PREFIX.length);
      tape.appendScratch(body, texts[2 * i], texts[2 * i + 1]);
      int text = tape.scratchLimit();
      tape.appendScratch(body, texts[2 * i + 2], texts[2 * i + 3]);
      tape.name(true, name, text - name);
      tape.string(true, text, tape.scratchLimit() - text);
    }
  }
}
