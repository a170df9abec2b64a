package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ByteWords;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;

/// The encoder of a sequence of texts by their content: one text, few distinct ones, numbers, or
/// any bytes. Numbers and codes go to one sink; text goes to another, which is compressed as a
/// whole.
///
/// ```
///  code         numbers                                        text
///  CONSTANT     varint length                                  the bytes
///  DICTIONARY   varint size | longs lengths | symbols          the different texts
///  RAW          longs lengths                                  all bytes
///  NUMBER       symbols
///  DIGITS       byte width | symbols
///  TIME         symbols
///  TIME_MILLIS  byte separator | symbols
///  NUMBER_OR    varint length | symbols, 0 for the other text, else zigzag number + 1   other text
/// ```
///
/// - Threads: one.
final class PieceEncoder {
  /// Blocks of a column for which a hasty encoder skips the dictionary after a failed attempt.
  private static final int PAUSE_BLOCKS = 7;

  private static final int REPEATS = 4;

  /// In place of a number for the other text: no number has so many digits.
  private static final long OTHER = Long.MIN_VALUE;

  private final LongEncoder longs;
  private final TokenSet tokens;
  private final boolean thorough;
  private final TextDictionary dictionary = new TextDictionary();
  private long[] symbols = new long[0];
  private long[] codes = new long[0]; // of a dictionary that was built to look at the texts
  private long[] lengths = new long[0];
  private int separator;
  private int other; // slice of the text that is not a number

  PieceEncoder(LongEncoder longs, TokenSet tokens, boolean thorough) {
    this.thorough = thorough;
    this.longs = longs;
    this.tokens = tokens;
  }

  /// Writes all of `texts`, at least one.
  void encode(TextSlices texts, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    if (texts.allSame()) {
      putConstant(texts, numbers, text);
    } else {
      encodeVaried(texts, follow, numbers, text);
    }
  }

  private void putConstant(TextSlices texts, ByteSink numbers, ByteSink text) {
    numbers.putByte(PieceFormat.CONSTANT);
    numbers.putVarint(texts.lengths[0]);
    put(texts, 0, text);
  }

  /// True when two texts of the dictionary are no numbers: no form of numbers has room for both.
  private boolean areNoNumbers(TextSlices texts) {
    int others = 0;
    for (int code = 0; code < dictionary.size() && others < 2; code++) {
      int slice = dictionary.first(code);
      int form = readNumber(texts.bytes, texts.offsets[slice], texts.lengths[slice], slice);
      others += form == PieceFormat.RAW ? 1 : 0;
    }
    return others == 2;
  }

  /// Writes all of `texts`, which are not all the same.
  void encodeVaried(TextSlices texts, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    symbols = LongDecoder.room(symbols, texts.count);
    int form = numberForm(texts);
    if (form != PieceFormat.RAW) {
      encodeNumbers(texts, form, follow, numbers, text);
    } else if (!tryDictionary(texts, follow, numbers, text)) {
      encodeRaw(texts, numbers, text);
    }
  }

  /// Writes texts of which [#mostlyRepeats] has just built the dictionary.
  void encodeRepeats(TextSlices texts, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    if (dictionary.size() == 1) {
      putConstant(texts, numbers, text);
      return;
    }
    symbols = LongDecoder.room(symbols, texts.count);
    int form = areNoNumbers(texts) ? PieceFormat.RAW : numberForm(texts);
    if (form == PieceFormat.RAW) {
      putDictionary(texts, codes, follow, numbers, text);
    } else {
      encodeNumbers(texts, form, follow, numbers, text);
    }
  }

  /// Writes a dictionary when the texts repeat enough.
  private boolean tryDictionary(
      TextSlices texts, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    if (!thorough && texts.dictionaryPause > 0) {
      texts.dictionaryPause--;
      return false;
    }
    int sizeMax = thorough ? texts.count * 3 / 4 : texts.count / 2;
    if (!dictionary.build(texts, sizeMax, !thorough, symbols)) {
      texts.dictionaryPause = PAUSE_BLOCKS;
      return false;
    }
    putDictionary(texts, symbols, follow, numbers, text);
    return true;
  }

  /// @param codes of the texts in the dictionary
  private void putDictionary(
      TextSlices texts, long[] codes, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    int size = dictionary.size();
    numbers.putByte(PieceFormat.DICTIONARY);
    numbers.putVarint(size);
    lengths = LongDecoder.room(lengths, size);
    for (int code = 0; code < size; code++) {
      int slice = dictionary.first(code);
      lengths[code] = texts.lengths[slice];
      put(texts, slice, text);
    }
    longs.encode(lengths, size, numbers);
    follow.put(codes, texts.count, PieceFormat.DICTIONARY, size, numbers);
  }

  /// True when a dictionary is smaller than templates: each text is there four times on average.
  /// Paths, agents and referrers of an access log, and messages of six systems of loghub: a
  /// dictionary has 0.72 to 0.99 of the bytes of templates, and a fifth of their time. Where texts
  /// are there three times or less, templates are smaller.
  boolean mostlyRepeats(TextSlices texts) {
    codes = LongDecoder.room(codes, texts.count);
    return dictionary.build(texts, texts.count / REPEATS, true, codes);
  }

  private void encodeRaw(TextSlices texts, ByteSink numbers, ByteSink text) {
    numbers.putByte(PieceFormat.RAW);
    lengths = LongDecoder.room(lengths, texts.count);
    for (int i = 0; i < texts.count; i++) {
      lengths[i] = texts.lengths[i];
      put(texts, i, text);
    }
    longs.encode(lengths, texts.count, numbers);
  }

  private void put(TextSlices texts, int slice, ByteSink text) {
    text.putText(texts.bytes, texts.offsets[slice], texts.lengths[slice]);
    tokens.add(texts.bytes, texts.offsets[slice], texts.lengths[slice]);
  }

  /// Writes texts of whose numbers `symbols` is full.
  private void encodeNumbers(
      TextSlices texts, int form, SymbolWriter follow, ByteSink numbers, ByteSink text) {
    numbers.putByte(form);
    if (form == PieceFormat.NUMBER_OR) {
      tokens.add(texts.bytes, texts.offsets[other], texts.lengths[other]);
    }
    boolean times = EventTimes.isTime(form);
    for (int i = 0; i < texts.count; i++) {
      long value = symbols[i];
      if (value != OTHER && (i == 0 || value != symbols[i - 1]) && texts.first(i) == i) {
        // equal numbers of one form are equal texts
        if (value < 0 || times) {
          tokens.add(texts.bytes, texts.offsets[i], texts.lengths[i]);
        } else {
          tokens.addToken(texts.bytes, texts.offsets[i], texts.lengths[i]);
        }
      }
    }
    if (form == PieceFormat.DIGITS) {
      numbers.putByte(texts.lengths[0]);
    } else if (form == PieceFormat.TIME_MILLIS) {
      numbers.putByte(separator);
    } else if (form == PieceFormat.NUMBER_OR) {
      numbers.putVarint(texts.lengths[other]);
      text.put(texts.bytes, texts.offsets[other], texts.lengths[other]);
      for (int i = 0; i < texts.count; i++) {
        long value = symbols[i];
        symbols[i] = value == OTHER ? 0 : ((value << 1) ^ (value >> 63)) + 1;
      }
    }
    follow.put(symbols, texts.count, form, 0, numbers);
  }

  /// The form of number that all texts have, and their numbers in `symbols`; [PieceFormat#RAW] when
  /// there is none.
  private int numberForm(TextSlices texts) {
    int form = 0;
    boolean fixed = true;
    other = -1;
    for (int i = 0; i < texts.count; i++) {
      int first = texts.first(i);
      if (first < i) {
        symbols[i] = symbols[first];
        continue;
      }
      byte[] bytes = texts.bytes;
      int offset = texts.offsets[i];
      int length = texts.lengths[i];
      int here = readNumber(bytes, offset, length, i);
      if (here == PieceFormat.RAW) {
        if ((other >= 0 && !texts.same(other, i)) || length > PieceFormat.PRINTED_BYTES_MAX) {
          return PieceFormat.RAW;
        }
        other = i;
        continue;
      }
      if (here == PieceFormat.TIME_MILLIS) {
        int mark = bytes[offset + 8];
        separator = form == 0 ? mark : separator;
        if (mark != separator) {
          return PieceFormat.RAW;
        }
      }
      fixed = fixed && length == texts.lengths[0] && symbols[i] >= 0;
      if (form == 0 || form == here) {
        form = here;
      } else if (form + here == PieceFormat.NUMBER + PieceFormat.DIGITS) {
        form = PieceFormat.DIGITS;
      } else {
        return PieceFormat.RAW;
      }
    }
    if ((form == PieceFormat.DIGITS && !fixed) || form == 0) {
      return PieceFormat.RAW;
    }
    if (other >= 0) {
      return form == PieceFormat.NUMBER ? PieceFormat.NUMBER_OR : PieceFormat.RAW;
    }
    return form;
  }

  /// The form of a text, and its number in `symbols`.
  private int readNumber(byte[] bytes, int offset, int length, int slice) {
    if (length > 0 && length <= Long.BYTES) { // most numbers
      long digits = ByteWords.digits(bytes, offset, length);
      if (ByteWords.areDigits(digits)) {
        symbols[slice] = ByteWords.number(digits);
        return length > 1 && bytes[offset] == '0' ? PieceFormat.DIGITS : PieceFormat.NUMBER;
      }
    }
    int form = PieceFormat.formOf(bytes, offset, length);
    symbols[slice] =
        form == PieceFormat.RAW ? OTHER : PieceFormat.parse(form, bytes, offset, length);
    return form;
  }

  /// Receives the symbols of a sequence: the codes of a dictionary, or numbers.
  @FunctionalInterface
  interface SymbolWriter {
    /// @param form of the texts
    /// @param size of the dictionary; 0 when the symbols are numbers
    void put(long[] symbols, int count, int form, int size, ByteSink numbers);
  }
}
