package io.widerow.storage.segment;

import io.widerow.event.AttributeKind;
import io.widerow.storage.codec.BlockCompressor;
import io.widerow.storage.codec.ByteSink;
import io.widerow.storage.codec.ColumnFlags;
import io.widerow.storage.codec.LongDecoder;
import io.widerow.storage.codec.LongEncoder;
import io.widerow.storage.codec.Series;
import io.widerow.storage.text.EventTimes;
import io.widerow.storage.text.TextEncoder;
import io.widerow.storage.text.TokenSet;
import org.jspecify.annotations.Nullable;

/// Encoder of one column of a block into one chunk, without its checksum.
///
/// ```
///  +-----------+--------------+------- ~ -+----------------------------+--------- ~
///  | textBytes | storedBytes  | text      | rows, if not all have it   | values
///  +-----------+--------------+------- ~ -+----------------------------+--------- ~
///   varint      varint, 0:     zstd or      longs                        by kind
///               text as it is  as it is   |<-- numbers, as they are or as
///                                              varint bytes | varint storedBytes | zstd -->|
///
///  LONG, BOOLEAN   longs
///  DOUBLE          byte scale: 0 longs of raw bits, s longs of value * 10^(s-1)
///  STRING, BYTES   byte code, then as [PieceEncoder] or, for TEMPLATE, [TemplateEncoder] says
/// ```
///
/// The templates of log lines have many small columns of numbers that resemble each other. Encoded
/// one by one, they cannot exploit that, so thorough compressors try zstd over all these numbers.
///
/// - Threads: one.
public final class ColumnEncoder {
  static final int SCALES = 16;
  private static final double[] TENS = tens();
  private static final int TEXT_ZSTD_MIN = 32;
  private static final int NUMBERS_ZSTD_MIN = 256;

  /// Compression must save at least one part in this many.
  private static final int NUMBERS_GAIN = 16;

  private final BlockCompressor compressor;
  private final LongEncoder longs;
  private final TextEncoder texts;
  private final ByteSink text = new ByteSink();
  private final ByteSink numbers = new ByteSink();
  private final ByteSink compressed = new ByteSink();
  private long[] scratch = new long[0];

  public ColumnEncoder(BlockCompressor compressor, TokenSet tokens) {
    this.compressor = compressor;
    this.longs = new LongEncoder(compressor);
    this.texts = new TextEncoder(longs, compressor, tokens);
  }

  private static double[] tens() {
    double[] tens = new double[SCALES];
    for (int i = 0; i < SCALES; i++) {
      tens[i] = Math.pow(10, i);
    }
    return tens;
  }

  /// The double that a scaled number encodes.
  static double unscaled(long number, int scale) {
    return number / TENS[scale - 1];
  }

  /// Forgets the blocks before.
  void renew() {
    texts.renew();
  }

  /// The encoder of numbers, shared with the writers of other parts of a block.
  LongEncoder longs() {
    return longs;
  }

  /// @param series of the block
  /// @param times of its events; null when no text may follow from them
  /// @return flags for the directory, all but [ColumnFlags#RANGED]
  public int encode(
      ColumnBuilder column, int events, Series series, @Nullable EventTimes times, ByteSink out) {
    Series followed = null;
    if (series.count() > 0 && !column.leads) {
      series.follow(column.rows, column.count);
      followed = series;
    }
    text.clear();
    numbers.clear();
    if (column.count < events) {
      scratch = LongDecoder.room(scratch, column.count);
      for (int i = 0; i < column.count; i++) {
        scratch[i] = column.rows[i];
      }
      longs.encode(scratch, column.count, numbers);
    }
    boolean lines = column.kind == AttributeKind.STRING && !column.leads;
    boolean bare = false;
    if (times != null) {
      times.follow(column.count < events ? column.rows : null);
    }
    int flags =
        switch (column.kind) {
          case LONG, BOOLEAN -> flags(longs.encode(column.values, column.count, followed, numbers));
          case DOUBLE -> flags(encodeDoubles(column.values, column.count, followed));
          case STRING, BYTES -> {
            int used = texts.encode(column.texts, lines, followed, times, numbers, text);
            bare = texts.leftBare();
            yield used;
          }
        };
    putText(out);
    return putNumbers(bare, out) | flags;
  }

  private static int flags(boolean usedSeries) {
    return usedSeries ? ColumnFlags.FOLLOWS : 0;
  }

  /// @param bare whether runs of the numbers were left uncompressed for this method
  private int putNumbers(boolean bare, ByteSink out) {
    int raw = numbers.length();
    if (compressor.thorough() && raw >= NUMBERS_ZSTD_MIN) {
      compressed.clear();
      if (bare) {
        compressor.compressWhole(numbers.bytes(), 0, raw, compressed);
      } else {
        compressor.compressNumbers(numbers.bytes(), 0, raw, compressed);
      }
      if (compressed.length() < raw - raw / NUMBERS_GAIN) {
        out.putVarint(raw);
        out.putVarint(compressed.length());
        out.put(compressed);
        return ColumnFlags.COMPRESSED;
      }
    }
    out.put(numbers);
    return 0;
  }

  private void putText(ByteSink out) {
    int raw = text.length();
    out.putVarint(raw);
    if (raw >= TEXT_ZSTD_MIN) {
      compressed.clear();
      compressor.compressText(text.bytes(), 0, raw, compressed);
      if (compressed.length() < raw) {
        out.putVarint(compressed.length());
        out.put(compressed);
        return;
      }
    }
    out.putVarint(0);
    out.put(text);
  }

  private boolean encodeDoubles(long[] bits, int count, @Nullable Series series) {
    scratch = LongDecoder.room(scratch, count);
    int scale = scaleFor(bits, count);
    numbers.putByte(scale);
    if (scale == 0) {
      return longs.encode(bits, count, series, numbers);
    }
    for (int i = 0; i < count; i++) {
      scratch[i] = Math.round(Double.longBitsToDouble(bits[i]) * TENS[scale - 1]);
    }
    return longs.encode(scratch, count, series, numbers);
  }

  /// The least scale at which all values round-trip bit for bit; 0 when there is none.
  private static int scaleFor(long[] bits, int count) {
    int scale = 1;
    for (int i = 0; i < count; i++) {
      double value = Double.longBitsToDouble(bits[i]);
      while (scale < SCALES && !fits(value, bits[i], scale)) {
        scale++;
      }
      if (scale == SCALES) {
        return 0;
      }
    }
    for (int i = 0; i < count; i++) {
      if (!fits(Double.longBitsToDouble(bits[i]), bits[i], scale)) {
        return 0; // a large value that only an earlier, smaller scale suited
      }
    }
    return scale;
  }

  private static boolean fits(double value, long bits, int scale) {
    double scaled = value * TENS[scale - 1];
    return Math.abs(scaled) < 1L << 52
        && Double.doubleToRawLongBits(unscaled(Math.round(scaled), scale)) == bits;
  }
}
