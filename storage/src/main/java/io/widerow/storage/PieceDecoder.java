package io.widerow.storage;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Reads what a [PieceEncoder] wrote. Numbers stay numbers until somebody prints them, see
/// [TextSlices].
///
/// - Threads: one.
final class PieceDecoder {
  private final LongDecoder longs;
  private long[] symbols = new long[0];
  private long[] lengths = new long[0];
  private int[] dictionaryOffsets = new int[0];

  PieceDecoder(LongDecoder longs) {
    this.longs = longs;
  }

  /// Reads `count` texts; numbers among them are not printed yet.
  ///
  /// @param text what the text sink had; moves on
  void decode(
      int code, ByteSource in, SymbolReader follow, ByteSource text, int count, TextSlices out) {
    out.count = count;
    if (code <= PieceFormat.RAW) {
      out.room(count);
    }
    out.form = PieceFormat.RAW;
    out.spanOffset = text.at();
    switch (code) {
      case PieceFormat.CONSTANT -> {
        int length = in.readCount(0, text.left(), "constant");
        out.bytes = text.bytes();
        Arrays.fill(out.offsets, 0, count, text.skip(length, "constant"));
        Arrays.fill(out.lengths, 0, count, length);
      }
      case PieceFormat.DICTIONARY -> readDictionary(in, follow, text, count, out);
      case PieceFormat.RAW -> {
        lengths = LongDecoder.room(lengths, count);
        readLengths(in, text, count, out.offsets, out.lengths);
        out.bytes = text.bytes();
      }
      default -> readNumbers(code, in, follow, text, count, out);
    }
    out.spanBytes = text.at() - out.spanOffset;
  }

  /// The codes or numbers of the texts that [#decode] read last; null when there are none.
  long @Nullable [] codes(int code, TextSlices out) {
    return switch (code) {
      case PieceFormat.CONSTANT -> {
        symbols = LongDecoder.room(symbols, out.count);
        Arrays.fill(symbols, 0, out.count, 0);
        yield symbols;
      }
      case PieceFormat.DICTIONARY -> symbols;
      case PieceFormat.RAW -> null;
      default -> out.numbers;
    };
  }

  private void readDictionary(
      ByteSource in, SymbolReader follow, ByteSource text, int count, TextSlices out) {
    int size = in.readCount(1, count, "dictionary");
    symbols = LongDecoder.room(symbols, count);
    lengths = LongDecoder.room(lengths, size);
    if (dictionaryOffsets.length < size) {
      dictionaryOffsets = new int[2 * size];
    }
    longs.decode(in, size, lengths, 0, text.left(), "text length");
    for (int i = 0; i < size; i++) {
      dictionaryOffsets[i] = text.skip(lengths[i], "dictionary text");
    }
    follow.read(in, symbols, count, size);
    out.bytes = text.bytes();
    for (int i = 0; i < count; i++) {
      long symbol = symbols[i];
      if (symbol < 0 || symbol >= size) {
        throw in.corrupt("code %d of a dictionary of %d".formatted(symbol, size));
      }
      out.offsets[i] = dictionaryOffsets[(int) symbol];
      out.lengths[i] = (int) lengths[(int) symbol];
    }
  }

  private void readLengths(ByteSource in, ByteSource text, int count, int[] offsets, int[] out) {
    longs.decode(in, count, lengths, 0, text.left(), "text length");
    for (int i = 0; i < count; i++) {
      offsets[i] = text.skip(lengths[i], "text");
      out[i] = (int) lengths[i];
    }
  }

  private void readNumbers(
      int code, ByteSource in, SymbolReader follow, ByteSource text, int count, TextSlices out) {
    int detail = 0;
    long least = 0;
    long most = Long.MAX_VALUE;
    switch (code) {
      case PieceFormat.NUMBER -> least = Long.MIN_VALUE + 1;
      case PieceFormat.DIGITS -> {
        detail = in.readByte();
        if (detail < 1 || detail > PieceFormat.DIGITS_MAX) {
          throw in.corrupt("numbers of " + detail + " digits");
        }
      }
      case PieceFormat.TIME -> most = PieceFormat.TIME_LIMIT - 1;
      case PieceFormat.TIME_MILLIS -> {
        detail = in.readByte();
        most = PieceFormat.TIME_LIMIT * 1000 - 1;
      }
      case PieceFormat.NUMBER_OR -> {
        detail = in.readCount(0, PieceFormat.PRINTED_BYTES_MAX, "other text");
        out.otherOffset = text.skip(detail, "other text");
      }
      default -> throw in.corrupt("encoding " + code + " of texts");
    }
    out.numbers = LongDecoder.room(out.numbers, count);
    follow.read(in, out.numbers, count, 0);
    for (int i = 0; i < count; i++) {
      long value = out.numbers[i];
      if (value < least || value > most) {
        throw in.corrupt("number %d, possible are %d to %d".formatted(value, least, most));
      }
    }
    out.form = code;
    out.detail = detail;
    out.bytes = text.bytes();
  }

  /// Gives the symbols of a run back.
  @FunctionalInterface
  interface SymbolReader {
    /// @param size of the dictionary, 0 when the symbols are numbers
    void read(ByteSource in, long[] symbols, int count, int size);
  }
}
