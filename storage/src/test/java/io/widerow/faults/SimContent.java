package io.widerow.faults;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

/// Bytes of a [SimDisk]'s file: the bytes that programs see, and the bytes that are durable.
final class SimContent {
  private static final int SECTOR_BYTES = 512;

  private byte[] bytes = new byte[0];
  private int size;
  private byte[] durable = new byte[0];
  private int durableSize;
  private final BitSet dirtySectors = new BitSet();

  long size() {
    return size;
  }

  void write(MemorySegment source, long offset) {
    int from = Math.toIntExact(offset);
    int until = Math.toIntExact(offset + source.byteSize());
    if (until > bytes.length) {
      bytes = Arrays.copyOf(bytes, Math.max(until, 2 * bytes.length));
    }
    MemorySegment.copy(source, ValueLayout.JAVA_BYTE, 0, bytes, from, until - from);
    size = Math.max(size, until);
    dirtySectors.set(from / SECTOR_BYTES, (until + SECTOR_BYTES - 1) / SECTOR_BYTES);
  }

  long read(MemorySegment target, long offset) {
    int from = (int) Math.min(offset, size);
    int length = (int) Math.min(target.byteSize(), size - from);
    MemorySegment.copy(bytes, from, target, ValueLayout.JAVA_BYTE, 0, length);
    return length;
  }

  /// Takes over these bytes; sectors that differ are written.
  void reflect(byte[] now) {
    truncate(now.length);
    for (int at = 0; at < now.length; at += SECTOR_BYTES) {
      int until = Math.min(at + SECTOR_BYTES, now.length);
      if (until > size || !Arrays.equals(now, at, until, bytes, at, until)) {
        write(MemorySegment.ofArray(now).asSlice(at, until - at), at);
      }
    }
  }

  void truncate(long newSize) {
    int limit = Math.toIntExact(newSize);
    if (limit < size) {
      Arrays.fill(bytes, limit, size, (byte) 0);
    }
    size = Math.min(size, limit);
  }

  void force() {
    durable = Arrays.copyOf(bytes, size);
    durableSize = size;
    dirtySectors.clear();
  }

  void flip(long bit) {
    bytes[(int) (bit / 8)] ^= (byte) (1 << (bit % 8));
    int at = (int) (bit / 8);
    if (at < durableSize) {
      durable[at] ^= (byte) (1 << (bit % 8));
    }
  }

  /// What a power cut leaves: durable bytes, and of the sectors written since any, none, all, or a
  /// half. The size is the durable one, the new one, or one between.
  SimContent crashed(SplittableRandom random) {
    var after = new SimContent();
    int chance = random.nextInt(5); // of 4: none survive, some, all
    int most = Math.max(size, durableSize);
    byte[] left = Arrays.copyOf(durable, most);
    for (int sector = dirtySectors.nextSetBit(0);
        sector >= 0;
        sector = dirtySectors.nextSetBit(sector + 1)) {
      int from = sector * SECTOR_BYTES;
      int whole = Math.min(SECTOR_BYTES, most - from); // none where the file was cut off
      if (random.nextInt(4) < chance && whole > 0) {
        int length = random.nextInt(20) == 0 ? random.nextInt(whole + 1) : whole;
        if (length > 0) {
          System.arraycopy(bytes, from, left, from, length);
        }
      }
    }
    int[] sizes = {durableSize, size, Math.min(durableSize, size)};
    int newSize = sizes[random.nextInt(sizes.length)];
    if (random.nextInt(4) == 0 && size > durableSize) {
      newSize = durableSize + random.nextInt(size - durableSize + 1);
    }
    after.bytes = Arrays.copyOf(left, newSize);
    after.size = newSize;
    after.force();
    return after;
  }

  /// What a power cut leaves when nothing unforced survives.
  SimContent durableCopy() {
    var after = new SimContent();
    after.bytes = Arrays.copyOf(durable, durableSize);
    after.size = durableSize;
    after.force();
    return after;
  }

  SimContent copy() {
    var copy = new SimContent();
    copy.bytes = Arrays.copyOf(bytes, bytes.length);
    copy.size = size;
    copy.durable = durable.clone();
    copy.durableSize = durableSize;
    copy.dirtySectors.or(dirtySectors);
    return copy;
  }
}
