package io.widerow.cql.key;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;

/// The token of a partition key: the first half of MurmurHash3 (x64, 128 bits, seed 0) as Cassandra
/// computes it, with signed bytes in the tail.
public final class Murmur3 {
  private static final VarHandle LONG =
      MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
  private static final long C1 = 0x87c3_7b91_1142_53d5L;
  private static final long C2 = 0x4cf5_ad43_2745_937fL;
  private static final int BLOCK = 16;

  private Murmur3() {}

  /// @return never [Long#MIN_VALUE], which is no token
  public static long token(byte[] bytes, int offset, int length) {
    long h1 = 0;
    long h2 = 0;
    int blocks = length / BLOCK;
    for (int i = 0; i < blocks; i++) {
      long k1 = (long) LONG.get(bytes, offset + i * BLOCK);
      long k2 = (long) LONG.get(bytes, offset + i * BLOCK + Long.BYTES);
      h1 = Long.rotateLeft(h1 ^ mixFirst(k1), 27) + h2;
      h1 = h1 * 5 + 0x52dc_e729;
      h2 = Long.rotateLeft(h2 ^ mixSecond(k2), 31) + h1;
      h2 = h2 * 5 + 0x3849_5ab5;
    }
    int tail = offset + blocks * BLOCK;
    int rest = length - blocks * BLOCK;
    if (rest > Long.BYTES) {
      h2 ^= mixSecond(signed(bytes, tail + Long.BYTES, rest - Long.BYTES));
    }
    if (rest > 0) {
      h1 ^= mixFirst(signed(bytes, tail, Math.min(rest, Long.BYTES)));
    }
    h1 ^= length;
    h2 ^= length;
    h1 += h2;
    h2 += h1;
    long token = scatter(h1) + scatter(h2);
    return token == Long.MIN_VALUE ? Long.MAX_VALUE : token;
  }

  /// Bytes with their signs: a negative one turns all bits above it over.
  private static long signed(byte[] bytes, int offset, int length) {
    long bits = 0;
    for (int i = 0; i < length; i++) {
      bits ^= (long) bytes[offset + i] << (Byte.SIZE * i);
    }
    return bits;
  }

  private static long mixFirst(long k) {
    return Long.rotateLeft(k * C1, 31) * C2;
  }

  private static long mixSecond(long k) {
    return Long.rotateLeft(k * C2, 33) * C1;
  }

  private static long scatter(long bits) {
    long k = (bits ^ (bits >>> 33)) * 0xff51_afd7_ed55_8ccdL;
    k = (k ^ (k >>> 33)) * 0xc4ce_b9fe_1a85_ec53L;
    return k ^ (k >>> 33);
  }
}
