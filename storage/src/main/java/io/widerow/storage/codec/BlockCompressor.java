package io.widerow.storage.codec;

import com.github.luben.zstd.Zstd;
import com.github.luben.zstd.ZstdCompressCtx;
import io.widerow.storage.disk.Throttle;

/// Compresses parts of a block with zstd, each part independently.
///
/// - Threads: one.
/// - Memory: owns four native contexts until [#close].
public final class BlockCompressor implements AutoCloseable {
  /// From this level an encoder tries every encoding and keeps the smallest result.
  private static final int THOROUGH_LEVEL = 6;

  /// Numbers have few matches; searching harder than this gains next to nothing.
  private static final int NUMBERS_LEVEL_MAX = 6;

  /// From this level zstd takes a match only where it is cheaper than literals. Differences within
  /// a series, and between times, are mostly noise over few values: level 6 takes a quarter more
  /// than their entropy, this level 7 % (16,384 moves of a random walk: 5,749 and 4,864 bytes, 0.4
  /// and 1.5 ms; 0.9 ms when short matches are not searched for).
  private static final int MOVES_LEVEL = 11;

  private static final int MOVES_MATCH_MIN = 6;

  /// For the numbers of many columns together. Here matches are worth searching for, and so is the
  /// cheapest of several ways to write them (37,600 bytes of 400 columns of a broker's log: 7,200
  /// with level 6, 6,770 with this one; 0.2 and 2.6 ms).
  private static final int WHOLE_LEVEL = 15;

  /// Larger inputs are compressed as other numbers are, because the level's memory grows with the
  /// input.
  private static final int WHOLE_BYTES_MAX = 1 << 18;

  private final ZstdCompressCtx texts = new ZstdCompressCtx();
  private final ZstdCompressCtx numbers = new ZstdCompressCtx();
  private final ZstdCompressCtx moves = new ZstdCompressCtx();
  private final ZstdCompressCtx whole = new ZstdCompressCtx();
  private final Throttle throttle;
  private final boolean thorough;

  public BlockCompressor(int level, Throttle throttle) {
    this.throttle = throttle;
    this.thorough = level >= THOROUGH_LEVEL;
    texts.setLevel(level);
    texts.setContentSize(false);
    numbers.setLevel(Math.min(level, NUMBERS_LEVEL_MAX));
    numbers.setContentSize(false);
    moves.setLevel(MOVES_LEVEL);
    moves.setMinMatch(MOVES_MATCH_MIN);
    moves.setContentSize(false);
    whole.setLevel(WHOLE_LEVEL);
    whole.setContentSize(false);
  }

  public Throttle throttle() {
    return throttle;
  }

  public boolean thorough() {
    return thorough;
  }

  /// Appends the compressed form of text to `out`.
  public void compressText(byte[] source, int offset, int length, ByteSink out) {
    compress(texts, source, offset, length, out);
  }

  /// Appends the compressed form of numbers to `out`.
  public void compressNumbers(byte[] source, int offset, int length, ByteSink out) {
    compress(numbers, source, offset, length, out);
  }

  /// Appends the compressed form of the numbers of many columns to `out`.
  public void compressWhole(byte[] source, int offset, int length, ByteSink out) {
    compress(length > WHOLE_BYTES_MAX ? numbers : whole, source, offset, length, out);
  }

  /// Appends the compressed form of differences within series, or between times, to `out`.
  void compressMoves(byte[] source, int offset, int length, ByteSink out) {
    compress(moves, source, offset, length, out);
  }

  private void compress(
      ZstdCompressCtx context, byte[] source, int offset, int length, ByteSink out) {
    throttle.breathe();
    int bound = Math.toIntExact(Zstd.compressBound(length));
    byte[] target = out.reserve(bound);
    int bytes = context.compressByteArray(target, out.length(), bound, source, offset, length);
    out.advance(bytes);
  }

  @Override
  public void close() {
    texts.close();
    numbers.close();
    moves.close();
    whole.close();
  }
}
