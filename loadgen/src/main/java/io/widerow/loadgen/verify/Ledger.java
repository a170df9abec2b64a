package io.widerow.loadgen.verify;

import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.run.AckListener;
import io.widerow.loadgen.wire.Reply;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32C;

/// The outcome of each batch, in a file that is forced every 20 ms and at the end: the independent
/// record against which the target is checked. It includes batches that were sent but not
/// acknowledged, since they may have arrived.
///
/// ```
///  0              8          12         16         20        24
///  +--------------+----------+----------+----------+----------+
///  | firstNumber  |   slot   |  events  | accepted | crc32c   |
///  +--------------+----------+----------+----------+----------+
/// ```
///
/// Big-endian.
///
/// - Threads: any may append; the file is read after [#close].
public final class Ledger implements AckListener, AutoCloseable {
  static final int ENTRY_BYTES = 24;

  private static final long FORCE_NANOS = 20 * Quantity.MILLI;

  private final FileChannel file;
  private final ByteBuffer entry = ByteBuffer.allocate(ENTRY_BYTES);
  private long forcedNanos = System.nanoTime();

  /// @param accepted of the batch's events
  record Entry(long sequenceFirst, int slot, int events, int accepted) {}

  public Ledger(Path path) throws IOException {
    file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.TRUNCATE_EXISTING,
            StandardOpenOption.WRITE);
  }

  @Override
  public synchronized void answered(long sequenceFirst, int slot, int events, Reply reply) {
    entry.clear().putLong(sequenceFirst).putInt(slot).putInt(events).putInt(reply.accepted());
    entry.putInt(crc(entry)).flip();
    try {
      while (entry.hasRemaining()) {
        file.write(entry);
      }
      if (System.nanoTime() - forcedNanos > FORCE_NANOS) {
        file.force(false);
        forcedNanos = System.nanoTime();
      }
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  private static int crc(ByteBuffer entry) {
    var crc = new CRC32C();
    crc.update(entry.slice(0, ENTRY_BYTES - Integer.BYTES));
    return (int) crc.getValue();
  }

  @Override
  public synchronized void close() throws IOException {
    file.force(true);
    file.close();
  }

  /// All whole entries; an unfinished last one is ignored.
  static List<Entry> read(Path path) throws IOException {
    List<Entry> entries = new ArrayList<>();
    try (FileChannel file = FileChannel.open(path, StandardOpenOption.READ)) {
      ByteBuffer bytes = ByteBuffer.allocate(Math.toIntExact(file.size()));
      while (bytes.hasRemaining() && file.read(bytes) >= 0) {}
      bytes.flip();
      byte[] raw = new byte[ENTRY_BYTES];
      ByteBuffer one = ByteBuffer.wrap(raw);
      while (bytes.remaining() >= ENTRY_BYTES) {
        bytes.get(raw);
        Entry entry = new Entry(one.getLong(0), one.getInt(8), one.getInt(12), one.getInt(16));
        if (crc(one) != one.getInt(20)) {
          throw new IOException(path + ": damaged entry " + entries.size());
        }
        entries.add(entry);
      }
    }
    return entries;
  }
}
