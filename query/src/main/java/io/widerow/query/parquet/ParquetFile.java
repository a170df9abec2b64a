package io.widerow.query.parquet;

import static java.util.Objects.requireNonNull;

import com.github.luben.zstd.Zstd;
import io.widerow.query.QueryException;
import io.widerow.query.remote.LineEvent;
import io.widerow.storage.StorageException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DataPage;
import org.apache.parquet.column.page.DataPageV1;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageReadStore;
import org.apache.parquet.column.page.PageReader;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.ColumnIOFactory;
import org.apache.parquet.io.MessageColumnIO;
import org.apache.parquet.io.RecordReader;
import org.jspecify.annotations.Nullable;

/// The events of a file that [ParquetWriter] made, in the order of the file. Checksums of pages are
/// verified. Any other file is refused; a damaged one is reported as corrupt.
///
/// - Threads: one.
/// - Memory: one row group as it is in the file, and a page of each column.
public final class ParquetFile implements AutoCloseable {
  private static final int FOOTER_BYTES = Integer.BYTES + ParquetWriter.MAGIC.length;
  private static final int METADATA_BYTES_MAX = 64 << 20;
  private static final int CHUNK_BYTES_MAX = 256 << 20;
  private static final int PAGE_BYTES_MAX = 64 << 20;
  private static final int VALUE_BYTES_MIN = 4; // of a value in a dictionary
  private static final int NAMES_SHOWN = 12;

  private final Path path;
  private final FileChannel channel;
  private final long size;
  private final FileMetaData metadata;
  private final List<RowGroup> groups;
  private final MessageColumnIO columns = new ColumnIOFactory().getColumnIO(EventSchema.MESSAGE);
  private final EventColumns events = new EventColumns();
  private int group = -1;
  private long left; // rows of the group
  private @Nullable RecordReader<LineEvent> rows;

  private ParquetFile(Path path, FileChannel channel) throws IOException {
    this.path = path;
    this.channel = channel;
    this.size = channel.size();
    this.metadata = readMetadata();
    this.groups = requireNonNull(metadata.getRow_groups());
    requireOurs();
  }

  /// @throws QueryException.Refused when it is a file of another program
  /// @throws StorageException.Corrupt when it was cut or damaged
  public static ParquetFile open(Path path) throws IOException {
    FileChannel channel = FileChannel.open(path, StandardOpenOption.READ);
    try {
      return new ParquetFile(path, channel);
    } catch (Throwable failure) {
      channel.close();
      throw failure;
    }
  }

  /// True when a file begins with these bytes.
  public static boolean isParquet(byte[] first, int count) {
    return count >= ParquetWriter.MAGIC.length && startsWithMagic(first, 0);
  }

  private static boolean startsWithMagic(byte[] bytes, int offset) {
    for (int i = 0; i < ParquetWriter.MAGIC.length; i++) {
      if (bytes[offset + i] != ParquetWriter.MAGIC[i]) {
        return false;
      }
    }
    return true;
  }

  private StorageException.Corrupt corrupt(long offset, String found) {
    return new StorageException.Corrupt(path, offset, found);
  }

  private QueryException.Refused refused(String why) {
    return new QueryException.Refused("file", path + " is no export of widerow: " + why);
  }

  /// The number of events.
  public long events() {
    return metadata.getNum_rows();
  }

  private byte[] read(long offset, int length) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocate(length);
    while (bytes.hasRemaining()) {
      if (channel.read(bytes, offset + bytes.position()) < 0) {
        throw corrupt(offset + bytes.position(), "the file ends");
      }
    }
    return bytes.array();
  }

  private FileMetaData readMetadata() throws IOException {
    if (size < ParquetWriter.MAGIC.length + FOOTER_BYTES) {
      throw corrupt(size, "the file is too short for a Parquet file");
    }
    byte[] end = read(size - FOOTER_BYTES, FOOTER_BYTES);
    if (!startsWithMagic(end, Integer.BYTES)) {
      throw corrupt(size, "the file was cut off: it has no footer");
    }
    int length = Integer.reverseBytes(ByteBuffer.wrap(end).getInt());
    long start = size - FOOTER_BYTES - length;
    if (length < 0 || length > METADATA_BYTES_MAX || start < ParquetWriter.MAGIC.length) {
      throw corrupt(size - FOOTER_BYTES, "a footer of %d bytes".formatted(length));
    }
    try {
      return Util.readFileMetaData(new ByteArrayInputStream(read(start, length)), length);
    } catch (IOException | RuntimeException damaged) {
      throw corrupt(start, "the footer cannot be read: " + damaged.getMessage());
    }
  }

  private void requireOurs() {
    List<SchemaElement> schema = requireNonNull(metadata.getSchema()); // the reader has seen it
    if (!isOurs(schema)) {
      List<String> names = schema.stream().skip(1).map(SchemaElement::getName).toList();
      throw refused(
          "its columns are "
              + String.join(", ", names.subList(0, Math.min(NAMES_SHOWN, names.size()))));
    }
    List<KeyValue> pairs = metadata.getKey_value_metadata();
    String version = null;
    for (KeyValue pair : pairs == null ? List.<KeyValue>of() : pairs) {
      version = ParquetWriter.FORMAT.equals(pair.getKey()) ? pair.getValue() : version;
    }
    if (version == null) {
      throw refused("another program wrote it");
    }
    if (!version.equals(ParquetWriter.FORMAT_VERSION)) {
      throw refused(
          "its version is %s; this is for version %s"
              .formatted(version, ParquetWriter.FORMAT_VERSION));
    }
  }

  private static boolean isOurs(List<SchemaElement> schema) {
    List<SchemaElement> ours = EventSchema.elements();
    if (schema.size() != ours.size()) {
      return false;
    }
    for (int i = 1; i < ours.size(); i++) {
      SchemaElement one = schema.get(i);
      SchemaElement other = ours.get(i);
      if (!Objects.equals(one.getName(), other.getName())
          || one.getType() != other.getType()
          || one.getRepetition_type() != other.getRepetition_type()
          || one.getNum_children() != other.getNum_children()) {
        return false;
      }
    }
    return true;
  }

  /// The next event; null after the last.
  ///
  /// @throws StorageException.Corrupt when the file is damaged there
  public @Nullable LineEvent next() throws IOException {
    while (left == 0) {
      if (++group >= groups.size()) {
        return null;
      }
      openGroup(groups.get(group));
    }
    RecordReader<LineEvent> reader = rows;
    if (reader == null) {
      throw new IllegalStateException("rows without a reader");
    }
    left--;
    try {
      return reader.read();
    } catch (StorageException.Corrupt known) {
      throw known;
    } catch (RuntimeException damaged) { // values that its checksum allows, but no writer of ours
      throw corruptGroup(damaged);
    }
  }

  private StorageException corruptGroup(RuntimeException damaged) {
    StorageException corrupt =
        corrupt(offset(group), "row group %d: %s".formatted(group + 1, damaged.getMessage()));
    corrupt.initCause(damaged);
    return corrupt;
  }

  private long offset(int at) {
    List<ColumnChunk> chunks = requireNonNull(groups.get(at).getColumns());
    return chunks.isEmpty() ? 0 : Math.max(0, chunks.getFirst().getFile_offset());
  }

  private void openGroup(RowGroup row) throws IOException {
    List<ColumnChunk> chunks = requireNonNull(row.getColumns());
    if (chunks.size() != EventSchema.COLUMNS.size() || row.getNum_rows() < 0) {
      throw corrupt(0, "row group %d has %d columns".formatted(group + 1, chunks.size()));
    }
    Map<ColumnDescriptor, PageReader> pages = new HashMap<>();
    for (int i = 0; i < chunks.size(); i++) {
      ColumnDescriptor column = EventSchema.COLUMNS.get(i);
      pages.put(column, chunk(column, chunks.get(i)));
    }
    left = row.getNum_rows();
    try {
      rows = left == 0 ? null : columns.getRecordReader(new Pages(pages, left), events);
    } catch (StorageException.Corrupt known) {
      throw known;
    } catch (RuntimeException damaged) {
      throw corruptGroup(damaged);
    }
  }

  private PageReader chunk(ColumnDescriptor column, ColumnChunk chunk) throws IOException {
    ColumnMetaData of = chunk.getMeta_data();
    if (of == null || !List.of(column.getPath()).equals(of.getPath_in_schema())) {
      throw corrupt(0, "row group %d has no column %s".formatted(group + 1, column));
    }
    if (of.getCodec() != CompressionCodec.ZSTD) {
      throw refused("it is compressed with %s, not ZSTD".formatted(of.getCodec()));
    }
    long start =
        of.isSetDictionary_page_offset()
            ? of.getDictionary_page_offset()
            : of.getData_page_offset();
    long length = of.getTotal_compressed_size();
    if (start < 0 || length < 0 || length > CHUNK_BYTES_MAX || start > size - length) {
      throw corrupt(start, "a column of %d bytes in a file of %d".formatted(length, size));
    }
    return new Chunk(column, of.getNum_values(), start, read(start, (int) length));
  }

  /// The columns of a row group.
  private record Pages(Map<ColumnDescriptor, PageReader> readers, long rows)
      implements PageReadStore {
    @Override
    public PageReader getPageReader(ColumnDescriptor column) {
      PageReader reader = readers.get(column);
      if (reader == null) {
        throw new IllegalStateException("no column " + column);
      }
      return reader;
    }

    @Override
    public long getRowCount() {
      return rows;
    }

    @Override
    public Optional<Long> getRowIndexOffset() {
      return Optional.empty();
    }
  }

  /// The pages of a column.
  private final class Chunk implements PageReader {
    private final ColumnDescriptor column;
    private final long values;
    private final long offset; // in the file
    private final ByteArrayInputStream in;
    private final int length;
    private @Nullable PageHeader waiting; // of a data page where a dictionary was looked for

    Chunk(ColumnDescriptor column, long values, long offset, byte[] bytes) {
      this.column = column;
      this.values = values;
      this.offset = offset;
      this.in = new ByteArrayInputStream(bytes);
      this.length = bytes.length;
    }

    @Override
    public long getTotalValueCount() {
      return values;
    }

    private long position() {
      return offset + length - in.available();
    }

    @Override
    public @Nullable DictionaryPage readDictionaryPage() {
      if (in.available() == 0) {
        return null;
      }
      PageHeader header = header();
      var dictionary = header.getDictionary_page_header();
      if (dictionary == null) {
        waiting = header;
        return null;
      }
      byte[] plain = unpack(header);
      int count = dictionary.getNum_values();
      if (count < 0 || count > plain.length / VALUE_BYTES_MIN) {
        throw corrupt(position(), "a dictionary of %d values".formatted(count));
      }
      Encoding encoding = of(dictionary.getEncoding());
      return new DictionaryPage(BytesInput.from(plain), count, encoding);
    }

    @Override
    public @Nullable DataPage readPage() {
      PageHeader header = waiting;
      waiting = null;
      if (header == null) {
        if (in.available() == 0) {
          return null;
        }
        header = header();
      }
      var page = header.getData_page_header();
      if (page == null) {
        throw corrupt(position(), "a page of another kind: " + header.getType());
      }
      byte[] plain = unpack(header);
      Encoding encoding = of(page.getEncoding());
      boolean places = encoding.usesDictionary();
      boolean isOurs =
          (places || encoding == Encoding.PLAIN)
              && isRuns(column.getMaxRepetitionLevel(), page.getRepetition_level_encoding())
              && isRuns(column.getMaxDefinitionLevel(), page.getDefinition_level_encoding())
              && PageRuns.areOurs(
                  plain, column.getMaxRepetitionLevel(), column.getMaxDefinitionLevel(), places);
      if (!isOurs) {
        throw corrupt(position(), "a page that no writer of ours makes");
      }
      return new DataPageV1(
          BytesInput.from(plain),
          page.getNum_values(),
          plain.length,
          Statistics.noopStats(column.getPrimitiveType()),
          of(page.getRepetition_level_encoding()),
          of(page.getDefinition_level_encoding()),
          encoding);
    }

    /// A column without levels has no runs of them, whatever its pages contain.
    private boolean isRuns(int most, org.apache.parquet.format.@Nullable Encoding encoding) {
      return most == 0 || of(encoding) == Encoding.RLE;
    }

    private Encoding of(org.apache.parquet.format.@Nullable Encoding encoding) {
      if (encoding == null) {
        throw corrupt(position(), "a page of an unknown encoding");
      }
      return Encoding.valueOf(encoding.name());
    }

    private PageHeader header() {
      long at = position();
      try {
        return Util.readPageHeader(in);
      } catch (IOException | RuntimeException damaged) {
        throw corrupt(at, "the header of a page cannot be read: " + damaged.getMessage());
      }
    }

    private byte[] unpack(PageHeader header) {
      long at = position();
      int packedBytes = header.getCompressed_page_size();
      int plainBytes = header.getUncompressed_page_size();
      if (packedBytes < 0
          || packedBytes > in.available()
          || plainBytes < 0
          || plainBytes > PAGE_BYTES_MAX) {
        throw corrupt(at, "a page of %d bytes, of %d".formatted(packedBytes, plainBytes));
      }
      byte[] packed = new byte[packedBytes];
      int read = in.read(packed, 0, packedBytes);
      CRC32 crc = new CRC32();
      crc.update(packed);
      if (read != packedBytes || (header.isSetCrc() && header.getCrc() != (int) crc.getValue())) {
        throw corrupt(at, "the checksum of a page is wrong");
      }
      byte[] plain = new byte[plainBytes];
      long unpacked = Zstd.decompress(plain, packed);
      if (Zstd.isError(unpacked) || unpacked != plainBytes) {
        throw corrupt(at, "a page that cannot be unpacked");
      }
      return plain;
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
