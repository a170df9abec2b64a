package io.widerow.loadgen.workload;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/// Prepared batches in a file, so that every target gets the same events. Big-endian: magic, the
/// key that the batches were made from, their number, then each batch with its stamps and offsets.
public final class PoolFile {
  private static final int MAGIC = 0x57524C32; // WRL2

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
        batches.add(PreparedBatch.read(in));
      }
      return new BatchPool(key, batches);
    }
  }
}
