package io.widerow.cli.ship;

import io.widerow.cli.ExitCode;
import io.widerow.query.export.ExportedFile;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.parquet.ParquetFile;
import io.widerow.storage.StorageException;
import java.io.BufferedInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.zip.ZipException;
import org.jspecify.annotations.Nullable;

/// Sends the events of exported files to a daemon, with their ids. An event that is there already
/// is replaced by itself, so an import may be repeated, whole or in part.
///
/// - Threads: one.
/// - Memory: two batches; of Parquet, a row group.
final class ImportRun {
  private static final long SHOW_NANOS = 250_000_000L;
  private static final long SHOW_LINES_NANOS = 10_000_000_000L;
  private static final int STREAM_BYTES = 64 << 10;
  private static final int NUMBERS = 1 << 10;

  private final String salt = UUID.randomUUID().toString();
  private final int batchBytes;
  private final Sender sender;
  private final Tally tally;
  private final Console console;
  private final StopSignal stop;
  private final OutputBuffer json;
  private long[] numbers = new long[NUMBERS]; // of the lines in `json`
  private int events; // in `json`
  private long passed; // bytes of the file that were put into batches
  private long totalBytes;
  private long doneBytes; // of files before this one
  private long shownNanos = System.nanoTime();
  private Sender.@Nullable Sending<ImportBatch> sending;
  private ExitCode worst = ExitCode.OK;

  ImportRun(int batchBytes, Sender sender, Tally tally, Console console, StopSignal stop) {
    this.batchBytes = batchBytes;
    this.sender = sender;
    this.tally = tally;
    this.console = console;
    this.stop = stop;
    this.json = new OutputBuffer(batchBytes + (batchBytes >> 1));
  }

  /// A file that is being read.
  ///
  /// @param counted of its bytes as they are on the disk; null for Parquet
  private record Source(
      Path path, ExportedFile file, Importer.@Nullable Counted counted, long sizeBytes)
      implements AutoCloseable {
    static Source open(Path path) throws IOException {
      long size = Files.size(path);
      InputStream raw = Files.newInputStream(path);
      try {
        Importer.Counted counted = new Importer.Counted(raw);
        BufferedInputStream packed = new BufferedInputStream(counted, STREAM_BYTES);
        packed.mark(Packing.MAGIC_BYTES);
        byte[] magic = packed.readNBytes(Packing.MAGIC_BYTES);
        packed.reset();
        if (ParquetFile.isParquet(magic, magic.length)) {
          raw.close();
          return new Source(path, ExportedFile.parquet(path), null, size);
        }
        InputStream plain = Packing.of(magic, magic.length).unpack(packed);
        BufferedInputStream text = new BufferedInputStream(plain, STREAM_BYTES);
        return new Source(path, ExportedFile.text(path.toString(), text), counted, size);
      } catch (EOFException | ZipException damaged) {
        raw.close();
        throw new StorageException.Corrupt(path, 0, "it cannot be unpacked: " + damaged);
      } catch (Throwable failure) {
        raw.close();
        throw failure;
      }
    }

    /// About how far it is, in bytes.
    long position() {
      Importer.Counted of = counted;
      return of != null ? of.bytes() : sizeBytes * file.number() / Math.max(1, file.events());
    }

    @Override
    public void close() throws IOException {
      file.close();
    }
  }

  /// Imports all of them, none when one is no export.
  ///
  /// @return OK when the daemon took every event, or why not
  ExitCode run(List<Path> files) throws IOException {
    for (Path path : files) {
      try (Source source = Source.open(path)) {
        totalBytes += source.sizeBytes();
        ExportedFile.Found _ = source.file().next(json); // refuses what another program wrote
        json.clear();
      }
    }
    for (Path path : files) {
      if (!stop.isAsked()) {
        read(path);
      }
    }
    if (stop.isAsked()) {
      return ExitCode.STOPPED;
    }
    return worst == ExitCode.OK && tally.refused() > 0 ? ExitCode.DAMAGE_FOUND : worst;
  }

  private void read(Path path) throws IOException {
    passed = 0;
    try (Source source = Source.open(path)) {
      boolean more = true;
      while (more && !stop.isAsked()) {
        more = next(source);
        show(doneBytes + source.position());
      }
      send(source);
      doneBytes += source.sizeBytes();
    } catch (StorageException.Corrupt | EOFException | ZipException damaged) {
      console.tell("%s; the events before it were sent".formatted(why(path, damaged)));
      worst = ExitCode.CORRUPT;
    } finally {
      finish();
    }
  }

  private static String why(Path path, Exception damaged) {
    return damaged instanceof StorageException
        ? String.valueOf(damaged.getMessage())
        : path + " is cut or damaged: " + damaged.getMessage();
  }

  /// Takes one event. False at the end of the file.
  private boolean next(Source source) throws IOException {
    ExportedFile file = source.file();
    ExportedFile.Found found;
    try {
      found = file.next(json);
    } catch (StorageException.Corrupt | EOFException | ZipException damaged) {
      send(source);
      throw damaged;
    }
    switch (found) {
      case END -> {
        return false;
      }
      case BAD ->
          tally.refuse(
              file.reason(), "%s %d of %s".formatted(file.unit(), file.number(), source.path()));
      case EVENT -> {
        if (events == numbers.length) {
          numbers = Arrays.copyOf(numbers, 2 * events);
        }
        numbers[events++] = file.number();
        if (json.length() >= batchBytes) {
          send(source);
        }
      }
    }
    return true;
  }

  /// Sends what there is when the batch before is acknowledged, and does not wait for this one.
  private void send(Source source) {
    finish();
    if (events > 0 && !stop.isAsked()) {
      long position = source.position();
      ImportBatch batch =
          new ImportBatch(
              salt,
              source.path().toString(),
              source.file().unit(),
              Arrays.copyOf(numbers, events),
              Arrays.copyOf(json.bytes(), json.length()),
              position - passed);
      passed = position;
      sending = sender.start(List.of(batch)).getFirst();
    }
    events = 0;
    json.clear();
  }

  /// Waits for the batch in progress.
  private void finish() {
    Sender.Sending<ImportBatch> last = sending;
    sending = null;
    if (last != null) {
      boolean _ = sender.await(last, () -> {}); // false: the command ends
    }
  }

  private void show(long done) {
    long now = System.nanoTime();
    if (now - shownNanos < (console.isTerminal() ? SHOW_NANOS : SHOW_LINES_NANOS)) {
      return;
    }
    shownNanos = now;
    String bar = tally.bar(done, totalBytes);
    if (console.isTerminal()) {
      console.show(bar);
    } else {
      console.tell(bar);
    }
  }
}
