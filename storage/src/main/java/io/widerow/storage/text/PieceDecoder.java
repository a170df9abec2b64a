package io.widerow.storage.text;

import io.widerow.storage.codec.ByteSource;
import io.widerow.storage.codec.LongDecoder;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The decoder of texts that a [PieceEncoder] wrote. Numbers stay numbers and texts of a dictionary
/// stay codes until they are printed, see [TextSlices].
///
/// - Threads: one.
final class PieceDecoder {
  private final LongDecoder longs;
  private long[] zeros = new long[0]; // the codes of a constant
  private long[] lengths = new long[0];

  PieceDecoder(LongDecoder longs) {
    this.longs = longs;
  }

  /// Decodes `count` texts. Numbers and texts of a dictionary are not printed yet.
  ///
  /// @param text the contents of the encoder's text sink; advances
  void decode(
      int code, ByteSource in, SymbolReader follow, ByteSource text, int count, TextSlices out) {
    out.count = count;
    out.form = PieceFormat.RAW;
    out.spanOffset = text.at();
    switch (code) {
      case PieceFormat.CONSTANT -> {
        int length = in.readCount(0, text.left(), "constant");
        out.bytes = text.bytes();
        out.room(count);
        Arrays.fill(out.offsets, 0, count, text.skip(length, "constant"));
        Arrays.fill(out.lengths, 0, count, length);
      }
      case PieceFormat.DICTIONARY -> readDictionary(in, follow, text, count, out);
      case PieceFormat.RAW -> {
        readSlices(in, text, count, out);
      }
      default -> readNumbers(code, in, follow, text, count, out);
    }
    out.spanBytes = text.at() - out.spanOffset;
  }

  /// The codes or numbers of the texts that [#decode] read last; null when there are none.
  long @Nullable [] codes(int code, TextSlices out) {
    return switch (code) {
      case PieceFormat.CONSTANT -> {
        zeros = LongDecoder.room(zeros, out.count); // never written
        yield zeros;
      }
      case PieceFormat.DICTIONARY -> out.codes;
      case PieceFormat.RAW -> null;
      default -> out.numbers;
    };
  }

  private void readDictionary(
      ByteSource in, SymbolReader follow, ByteSource text, int count, TextSlices out) {
    int size = in.readCount(1, count, "dictionary");
    readSlices(in, text, size, out);
    out.codes = LongDecoder.room(out.codes, count);
    follow.read(in, out.codes, count, PieceFormat.DICTIONARY, size);
    LongDecoder.check(in, count, out.codes, 0, size - 1L, "code of a dictionary");
    out.size = size;
    out.form = PieceFormat.DICTIONARY;
  }

  /// Reads the lengths of slices that lie back to back.
  private void readSlices(ByteSource in, ByteSource text, int slices, TextSlices out) {
    out.room(slices);
    lengths = LongDecoder.room(lengths, slices);
    longs.decode(in, slices, lengths, 0, text.left(), "text length");
    long total = 0;
    for (int i = 0; i < slices; i++) {
      out.offsets[i] = (int) total;
      out.lengths[i] = (int) lengths[i];
      total += lengths[i];
    }
    int start = text.skip(total, "text");
    for (int i = 0; i < slices; i++) {
      out.offsets[i] += start;
    }
    out.bytes = text.bytes();
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
    follow.read(in, out.numbers, count, code, 0);
    LongDecoder.check(in, count, out.numbers, least, most, "number");
    out.form = code;
    out.detail = detail;
    out.bytes = text.bytes();
  }

  /// Decodes the symbols of a sequence.
  @FunctionalInterface
  interface SymbolReader {
    /// @param form of the texts
    /// @param size of the dictionary; 0 when the symbols are numbers
    void read(ByteSource in, long[] symbols, int count, int form, int size);
  }
}
