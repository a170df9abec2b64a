package io.widerow.fuzz;

import java.util.Arrays;
import java.util.List;
import java.util.SplittableRandom;

/// Mutator of seeds into inputs: it changes bytes, cuts, doubles and splices pieces, and inserts
/// numbers at the edges of their range. The same random numbers give the same inputs.
public final class Mutator {
  private static final int GROWTH_MAX = 4;
  private static final long[] EDGES = {
    0,
    1,
    -1,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0xffff,
    0x7fff_ffffL,
    0xffff_ffffL,
    Long.MAX_VALUE,
    Long.MIN_VALUE,
    1L << 26,
    1L << 23,
    1L << 20
  };

  private final SplittableRandom random;
  private final List<byte[]> seeds;

  public Mutator(SplittableRandom random, List<byte[]> seeds) {
    this.random = random;
    this.seeds = seeds;
  }

  public byte[] next() {
    byte[] seed = any();
    byte[] bytes = seed.clone();
    int limit = GROWTH_MAX * Math.max(64, seed.length);
    for (int left = 1 + random.nextInt(6); left > 0; left--) {
      bytes = change(bytes);
      bytes = bytes.length > limit ? Arrays.copyOf(bytes, limit) : bytes;
    }
    return bytes;
  }

  private byte[] any() {
    return seeds.get(random.nextInt(seeds.size()));
  }

  private byte[] change(byte[] bytes) {
    if (bytes.length == 0) {
      return any().clone();
    }
    int at = random.nextInt(bytes.length);
    switch (random.nextInt(9)) {
      case 0 -> bytes[at] = (byte) random.nextInt();
      case 1 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> bytes[at] = bytes[random.nextInt(bytes.length)];
      case 3 -> bytes[at] += (byte) (random.nextInt(3) - 1);
      case 4 -> putEdge(bytes, at);
      case 5 -> {
        return Arrays.copyOf(bytes, at);
      }
      case 6 -> { // a piece less
        int until = Math.min(bytes.length, at + 1 + random.nextInt(16));
        return join(bytes, 0, at, bytes, until, bytes.length);
      }
      case 7 -> { // a piece twice
        int until = Math.min(bytes.length, at + 1 + random.nextInt(64));
        return join(bytes, 0, until, bytes, at, bytes.length);
      }
      default -> { // the end of another
        byte[] other = any();
        int from = other.length == 0 ? 0 : random.nextInt(other.length);
        return join(bytes, 0, at, other, from, other.length);
      }
    }
    return bytes;
  }

  private void putEdge(byte[] bytes, int at) {
    long edge = EDGES[random.nextInt(EDGES.length)];
    int width = 1 << random.nextInt(4);
    boolean bigEndian = random.nextBoolean();
    for (int i = 0; i < width && at + i < bytes.length; i++) {
      bytes[at + i] = (byte) (edge >>> (8 * (bigEndian ? width - 1 - i : i)));
    }
  }

  private static byte[] join(byte[] a, int aFrom, int aUntil, byte[] b, int bFrom, int bUntil) {
    byte[] joined = new byte[aUntil - aFrom + bUntil - bFrom];
    System.arraycopy(a, aFrom, joined, 0, aUntil - aFrom);
    System.arraycopy(b, bFrom, joined, aUntil - aFrom, bUntil - bFrom);
    return joined;
  }
}
