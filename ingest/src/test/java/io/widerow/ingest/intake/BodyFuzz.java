package io.widerow.ingest.intake;

import com.github.luben.zstd.Zstd;
import io.widerow.ingest.decode.Refusals;
import io.widerow.ingest.http.BodyCoding;
import io.widerow.ingest.http.Decompression;
import io.widerow.ingest.http.RequestRefused;
import io.widerow.ingest.lane.BatchKey;
import io.widerow.ingest.lane.BatchLedger;
import io.widerow.storage.Durability;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.GZIPOutputStream;

/// Fuzz targets of compressed bodies, and of the notes that record batches.
public final class BodyFuzz {
  private static final int BYTES_MAX = 4 << 20;
  private static final int RATIO_MAX = 100;
  private static final long GROUP = 7;
  private static final int NOTE_LIST_AT = 30; // in a note

  private BodyFuzz() {}

  private static List<byte[]> plain() {
    byte[] lines =
        "{\"ts\":1,\"type\":\"t\",\"body\":\"good\"}\n".repeat(30).getBytes(StandardCharsets.UTF_8);
    return List.of(new byte[0], new byte[] {1}, lines, new byte[2 << 20]);
  }

  public static List<byte[]> gzipSeeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] bytes : plain()) {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      try (GZIPOutputStream gzip = new GZIPOutputStream(out)) {
        gzip.write(bytes);
      } catch (IOException impossible) {
        throw new UncheckedIOException(impossible);
      }
      seeds.add(out.toByteArray());
      seeds.add(twice(out.toByteArray()));
    }
    return seeds;
  }

  private static byte[] twice(byte[] bytes) {
    byte[] twice = Arrays.copyOf(bytes, 2 * bytes.length);
    System.arraycopy(bytes, 0, twice, bytes.length, bytes.length);
    return twice;
  }

  public static List<byte[]> zstdSeeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] bytes : plain()) {
      seeds.add(Zstd.compress(bytes));
      seeds.add(twice(Zstd.compress(bytes, 19)));
    }
    return seeds;
  }

  private static final int SNAPPY_RATIO_MAX = 32; // of the format

  public static List<byte[]> deflateSeeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (byte[] packed : gzipSeeds()) { // 10 bytes of a header without options, 8 at the end
      seeds.add(Arrays.copyOfRange(packed, Math.min(10, packed.length), packed.length));
    }
    return seeds;
  }

  public static List<byte[]> snappySeeds() {
    return List.of(
        new byte[] {16, 8, 'a', 'b', 'c', 0x15, 3, 0x01, 3},
        new byte[] {70, 0, 'x', -2, 1, 0, 0x11, 1},
        new byte[] {4, -16, 3, 'a', 'b', 'c', 'd'},
        new byte[] {5, 0, 'a', 0x0f, 1, 0, 0, 0});
  }

  public static void gunzip(byte[] input) {
    unpack(input, BodyCoding.GZIP);
  }

  public static void unzstd(byte[] input) {
    unpack(input, BodyCoding.ZSTD);
  }

  public static void inflate(byte[] input) {
    unpack(input, BodyCoding.DEFLATE);
  }

  /// The limit on the ratio does not hold for snappy, whose own is 32.
  public static void unsnappy(byte[] input) {
    unpack(input, BodyCoding.SNAPPY);
  }

  private static void unpack(byte[] input, BodyCoding coding) {
    Body packed = Body.take();
    System.arraycopy(input, 0, packed.bytes(), packed.reserve(input.length), input.length);
    packed.wrote(input.length);
    long[] claimed = {0};
    try {
      Body body =
          Decompression.unpack(
              packed, List.of(coding), BYTES_MAX, RATIO_MAX, bytes -> claimed[0] += bytes);
      int ratio = Math.max(RATIO_MAX, SNAPPY_RATIO_MAX);
      long most = Math.max(1 << 20, (long) ratio * (input.length + 1));
      if (body.length() > Math.min(BYTES_MAX, most) || claimed[0] < body.length()) {
        throw new AssertionError(
            "%d bytes of %d, %d claimed".formatted(body.length(), input.length, claimed[0]));
      }
      body.give();
    } catch (RequestRefused told) {
      if (told.status().code() / 100 != 4) {
        throw new AssertionError(told);
      }
    }
  }

  public static List<byte[]> noteSeeds() {
    List<byte[]> seeds = new ArrayList<>();
    for (int count = 0; count < 3; count++) {
      Refusals refused = new Refusals();
      for (int i = 0; i < count; i++) {
        refused.add(7 * i, "reason " + i % 2);
        refused.add(7 * i + 1, "reason " + i % 2);
        refused.add(7 * i + 3, "reason " + i % 2);
      }
      seeds.add(ledger().add(new BatchKey(1, count), 10, refused, Durability.DISK, 1_000, GROUP));
    }
    return seeds;
  }

  private static BatchLedger ledger() {
    return new BatchLedger(1 << 10, 1 << 11, 900);
  }

  /// A valid note is restored; any other is skipped. Its list is one that can be read.
  public static void note(byte[] input) {
    BatchLedger ledger = ledger();
    ledger.restore(GROUP, input);
    if (ledger.count() == 1 && ledger.expire(Long.MAX_VALUE) != -1) {
      throw new AssertionError("a key that must be kept is dropped");
    }
    int at = Math.min(NOTE_LIST_AT, input.length);
    ByteBuffer list = ByteBuffer.wrap(input, at, input.length - at);
    int count = Refusals.countIn(list.duplicate());
    Refusals read = Refusals.readFrom(list);
    if (count != (read == null ? -1 : read.count())) {
      throw new AssertionError(count + " refusals are counted");
    }
  }
}
