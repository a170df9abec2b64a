package io.widerow.query.parquet;

import static java.util.Objects.requireNonNull;

import com.github.luben.zstd.Zstd;
import io.widerow.event.AttributeValue;
import io.widerow.event.EventView;
import io.widerow.query.QueryException;
import io.widerow.query.Token;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.LineEvent;
import io.widerow.questions.HostileEvents;
import io.widerow.storage.StorageException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.zip.CRC32;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.Util;

/// Fuzz targets of Parquet files: whole files, and files of which one page has any content, with a
/// checksum that is right. Any input gives events, or is told as damaged or foreign.
public final class ParquetFuzz {
  private static final int EVENTS = 40;
  private static final Path FILE = temporary();
  private static final byte[] VALID = files().getFirst();

  private ParquetFuzz() {}

  private static Path temporary() {
    try {
      Path file = Files.createTempFile("widerow-fuzz", ".parquet");
      file.toFile().deleteOnExit();
      return file;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// Valid files: with events of every kind, with one, and with none.
  public static List<byte[]> files() {
    List<byte[]> files = new ArrayList<>();
    List<LineEvent> events = HostileEvents.of(3, EVENTS);
    for (List<LineEvent> some : List.of(events, events.subList(0, 1), List.<LineEvent>of())) {
      OutputBuffer out = new OutputBuffer(1 << 12);
      try (ParquetWriter writer = new ParquetWriter()) {
        writer.begin(out);
        some.forEach(event -> writer.event(event, out));
        writer.end(some.isEmpty() ? null : Token.of(some.getLast()), out);
      }
      files.add(Arrays.copyOf(out.bytes(), out.length()));
    }
    return files;
  }

  /// Reads a file to its end.
  public static void file(byte[] input) {
    int _ = read(input);
  }

  /// How many events a file has; -1 when it is told.
  private static int read(byte[] input) {
    int events = 0;
    try {
      Files.write(FILE, input);
      try (ParquetFile file = ParquetFile.open(FILE)) {
        AttributeValue value = new AttributeValue();
        for (EventView event = file.next(); event != null; event = file.next()) {
          events++;
          requireNonNull(event.id().toString() + event.type() + event.timeNanos());
          event.forEach(value, (name, each) -> requireNonNull(name.toString() + each));
        }
      }
      return events;
    } catch (StorageException.Corrupt damaged) {
      requireNonNull(damaged.getMessage());
      return -1;
    } catch (QueryException.Refused foreign) {
      requireNonNull(foreign.getMessage());
      return -1;
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// The contents of the pages of a valid file, each after the number of its page.
  public static List<byte[]> pageContents() {
    Forged valid = Forged.of(VALID);
    List<byte[]> contents = new ArrayList<>();
    for (int i = 0; i < valid.contents.size(); i++) {
      byte[] content = valid.contents.get(i);
      byte[] seed = new byte[content.length + 1];
      seed[0] = (byte) i;
      System.arraycopy(content, 0, seed, 1, content.length);
      contents.add(seed);
    }
    if (read(VALID) < EVENTS || read(valid.file()) != read(VALID)) {
      throw new IllegalStateException("a valid file is not read");
    }
    return contents;
  }

  /// Reads a file of which the page that the first byte numbers has the other bytes as its content.
  public static void page(byte[] input) {
    if (input.length == 0) {
      return;
    }
    Forged forged = Forged.of(VALID);
    int page = (input[0] & 0xff) % forged.contents.size();
    forged.contents.set(page, Arrays.copyOfRange(input, 1, input.length));
    file(forged.file());
  }

  /// The pages of a file, which can be put together again.
  private static final class Forged {
    private final FileMetaData metadata;
    private final List<PageHeader> headers = new ArrayList<>();
    private final List<byte[]> contents = new ArrayList<>();
    private final List<Integer> pagesOf = new ArrayList<>(); // of each column

    private Forged(FileMetaData metadata) {
      this.metadata = metadata;
    }

    static Forged of(byte[] file) {
      int footer = ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN).getInt(file.length - 8);
      try {
        var tail = new ByteArrayInputStream(file, file.length - 8 - footer, footer);
        Forged forged = new Forged(Util.readFileMetaData(tail));
        for (ColumnChunk chunk : forged.columns()) {
          forged.take(file, requireNonNull(chunk.getMeta_data()));
        }
        return forged;
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
    }

    private List<ColumnChunk> columns() {
      RowGroup group = requireNonNull(metadata.getRow_groups()).getFirst();
      return requireNonNull(group.getColumns());
    }

    private static long start(ColumnMetaData of) {
      return of.isSetDictionary_page_offset()
          ? of.getDictionary_page_offset()
          : of.getData_page_offset();
    }

    private void take(byte[] file, ColumnMetaData of) throws IOException {
      var in = new ByteArrayInputStream(file, (int) start(of), (int) of.getTotal_compressed_size());
      int before = contents.size();
      while (in.available() > 0) {
        PageHeader header = Util.readPageHeader(in);
        byte[] packed = in.readNBytes(header.getCompressed_page_size());
        headers.add(header);
        contents.add(Zstd.decompress(packed, header.getUncompressed_page_size()));
      }
      pagesOf.add(contents.size() - before);
    }

    byte[] file() {
      ByteArrayOutputStream file = new ByteArrayOutputStream();
      file.writeBytes(ParquetWriter.MAGIC);
      try {
        int page = 0;
        for (int column = 0; column < pagesOf.size(); column++) {
          ColumnMetaData of = requireNonNull(columns().get(column).getMeta_data());
          int begin = file.size();
          for (int i = 0; i < pagesOf.get(column); i++) {
            if (headers.get(page).isSetData_page_header() && i <= 1) {
              of.setData_page_offset(file.size());
            }
            put(headers.get(page), contents.get(page), file);
            page++;
          }
          if (of.isSetDictionary_page_offset()) {
            of.setDictionary_page_offset(begin);
          }
          of.setTotal_compressed_size(file.size() - begin);
        }
        int before = file.size();
        Util.writeFileMetaData(metadata, file);
        int footer = file.size() - before;
        file.writeBytes(
            ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt(footer).array());
        file.writeBytes(ParquetWriter.MAGIC);
        return file.toByteArray();
      } catch (IOException impossible) { // it is in memory
        throw new UncheckedIOException(impossible);
      }
    }

    private static void put(PageHeader header, byte[] content, ByteArrayOutputStream file)
        throws IOException {
      byte[] packed = Zstd.compress(content, 1);
      CRC32 crc = new CRC32();
      crc.update(packed);
      header.setUncompressed_page_size(content.length);
      header.setCompressed_page_size(packed.length);
      header.setCrc((int) crc.getValue());
      Util.writePageHeader(header, file);
      file.writeBytes(packed);
    }
  }
}
