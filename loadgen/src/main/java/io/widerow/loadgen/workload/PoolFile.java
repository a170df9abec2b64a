package io.widerow.loadgen.workload;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Prepared batches in a file, so that every target gets the same events. Big-endian: magic, the
/// key that the batches were made from, their number, then each batch with its stamps and offsets.
public final class PoolFile {
  private static final int MAGIC = 0x57524C31; // WRL1

  private PoolFile() {}

  public static void write(Path path, BatchPool pool) throws IOException {
    try (DataOutputStream out =
        new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(path), 1 << 16))) {
      out.writeInt(MAGIC);
      out.writeUTF(pool.key());
      out.writeInt(pool.batches().size());
      for (PreparedBatch batch : pool.batches()) {
        batch.write(out);
      }
    }
  }

  /// @throws IllegalArgumentException when the file's batches were made from something else
  static BatchPool read(Path path, String key) throws IOException {
    try (DataInputStream in =
        new DataInputStream(new BufferedInputStream(Files.newInputStream(path), 1 << 16))) {
      if (in.readInt() != MAGIC) {
        throw new IOException(path + " was not written by --prepare");
      }
      String found = in.readUTF();
      if (!found.equals(key)) {
        throw new IllegalArgumentException(
            "--replay %s holds other events: %s, not %s".formatted(path, found, key));
      }
      int count = in.readInt();
      List<PreparedBatch> batches = new ArrayList<>();
      for (int i = 0; i < count; i++) {
        batches.add(batch(in));
      }
      return new BatchPool(key, batches);
    }
  }

  private static PreparedBatch batch(DataInputStream in) throws IOException {
    String type = in.readUTF();
    List<Stamp> stamps = new ArrayList<>();
    for (int left = in.readInt(); left > 0; left--) {
      stamps.add(Stamp.valueOf(in.readUTF()));
    }
    long[] shiftsNanos = new long[in.readInt()];
    for (int i = 0; i < shiftsNanos.length; i++) {
      shiftsNanos[i] = in.readLong();
    }
    int[] offsets = new int[shiftsNanos.length * stamps.size()];
    for (int i = 0; i < offsets.length; i++) {
      offsets[i] = in.readInt();
    }
    byte[] bytes = in.readNBytes(in.readInt());
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).clear();
    return new PreparedBatch(type, direct, stamps, offsets, shiftsNanos);
  }
}
