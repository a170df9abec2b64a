package io.widerow.query.parquet;

import com.github.luben.zstd.Zstd;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.zip.CRC32;
import org.apache.parquet.bytes.BytesInput;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.column.Encoding;
import org.apache.parquet.column.page.DictionaryPage;
import org.apache.parquet.column.page.PageWriteStore;
import org.apache.parquet.column.page.PageWriter;
import org.apache.parquet.column.statistics.SizeStatistics;
import org.apache.parquet.column.statistics.Statistics;
import org.apache.parquet.column.statistics.geospatial.GeospatialStatistics;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnMetaData;
import org.apache.parquet.format.CompressionCodec;
import org.apache.parquet.format.DataPageHeader;
import org.apache.parquet.format.DictionaryPageHeader;
import org.apache.parquet.format.PageHeader;
import org.apache.parquet.format.PageType;
import org.apache.parquet.format.Util;
import org.jspecify.annotations.Nullable;

/// The pages of one row group, compressed with zstd, each with its header and a checksum.
///
/// - Threads: one.
/// - Memory: keeps the pages on the heap until they are put into the file.
final class ColumnChunks implements PageWriteStore {
  private static final int LEVEL = 3;

  /// Longer bounds are left out of the metadata: they would make the footer large.
  private static final int BOUND_BYTES_MAX = 64;

  private final Map<ColumnDescriptor, Pages> columns = new HashMap<>();

  @Override
  public PageWriter getPageWriter(ColumnDescriptor column) {
    return columns.computeIfAbsent(column, Pages::new);
  }

  @Override
  public void close() {
    columns.clear();
  }

  /// Writes the pages of a column into a file, and returns their positions.
  ///
  /// @param offset of the file's end
  ColumnChunk put(ColumnDescriptor column, long offset, ByteArrayOutputStream file)
      throws IOException {
    Pages pages = columns.get(column);
    if (pages == null) {
      throw new IllegalStateException("no pages of " + column);
    }
    return pages.put(offset, file);
  }

  /// The pages of one column.
  private static final class Pages implements PageWriter {
    private final ColumnDescriptor column;
    private final ByteArrayOutputStream data = new ByteArrayOutputStream();
    private final ByteArrayOutputStream dictionary = new ByteArrayOutputStream();
    private final Set<org.apache.parquet.format.Encoding> encodings =
        EnumSet.noneOf(org.apache.parquet.format.Encoding.class);
    private @Nullable Statistics<?> statistics;
    private long values;
    private long plainBytes;

    Pages(ColumnDescriptor column) {
      this.column = column;
    }

    @Deprecated // as it is in the interface, which has it nevertheless
    @Override
    public void writePage(
        BytesInput bytes,
        int valueCount,
        Statistics<?> of,
        Encoding repetition,
        Encoding definition,
        Encoding encoding) {
      throw new UnsupportedOperationException("a page without its number of rows");
    }

    @Override
    public void writePage(
        BytesInput bytes,
        int valueCount,
        int rowCount,
        Statistics<?> of,
        Encoding repetition,
        Encoding definition,
        Encoding encoding) {
      throw new UnsupportedOperationException("a page without the statistics of its sizes");
    }

    @Override
    public void writePage(
        BytesInput bytes,
        int valueCount,
        int rowCount,
        Statistics<?> of,
        SizeStatistics sizes,
        GeospatialStatistics shapes,
        Encoding repetition,
        Encoding definition,
        Encoding encoding)
        throws IOException {
      DataPageHeader header =
          new DataPageHeader(valueCount, of(encoding), of(definition), of(repetition));
      encodings.addAll(List.of(of(encoding), of(definition), of(repetition)));
      values += valueCount;
      if (statistics == null) {
        statistics = of.copy();
      } else {
        statistics.mergeStatistics(of);
      }
      PageHeader page = new PageHeader(PageType.DATA_PAGE, 0, 0);
      page.setData_page_header(header);
      write(bytes, page, data);
    }

    @Override
    public void writePageV2(
        int rowCount,
        int nullCount,
        int valueCount,
        BytesInput repetition,
        BytesInput definition,
        Encoding encoding,
        BytesInput bytes,
        Statistics<?> of) {
      throw new UnsupportedOperationException("pages of version 2: not every reader knows them");
    }

    @Override
    public void writeDictionaryPage(DictionaryPage page) throws IOException {
      PageHeader header = new PageHeader(PageType.DICTIONARY_PAGE, 0, 0);
      org.apache.parquet.format.Encoding encoding = of(page.getEncoding());
      encodings.add(encoding);
      header.setDictionary_page_header(
          new DictionaryPageHeader(page.getDictionarySize(), encoding));
      write(page.getBytes(), header, dictionary);
    }

    private void write(BytesInput bytes, PageHeader header, ByteArrayOutputStream out)
        throws IOException {
      ByteArrayOutputStream copy = new ByteArrayOutputStream(Math.toIntExact(bytes.size()));
      bytes.writeAllTo(copy);
      byte[] plain = copy.toByteArray();
      byte[] packed = Zstd.compress(plain, LEVEL);
      CRC32 crc = new CRC32();
      crc.update(packed);
      header.setUncompressed_page_size(plain.length);
      header.setCompressed_page_size(packed.length);
      header.setCrc((int) crc.getValue());
      int before = out.size();
      Util.writePageHeader(header, out);
      plainBytes += out.size() - before + plain.length;
      out.writeBytes(packed);
    }

    private static org.apache.parquet.format.Encoding of(Encoding encoding) {
      return org.apache.parquet.format.Encoding.valueOf(encoding.name());
    }

    ColumnChunk put(long offset, ByteArrayOutputStream file) throws IOException {
      ColumnMetaData metadata =
          new ColumnMetaData(
              EventSchema.type(column.getPrimitiveType().getPrimitiveTypeName()),
              new ArrayList<>(encodings),
              List.of(column.getPath()),
              CompressionCodec.ZSTD,
              values,
              plainBytes,
              (long) dictionary.size() + data.size(),
              offset + dictionary.size());
      if (dictionary.size() > 0) {
        metadata.setDictionary_page_offset(offset);
      }
      Statistics<?> all = statistics;
      if (all != null) {
        metadata.setStatistics(bounds(all));
      }
      dictionary.writeTo(file);
      data.writeTo(file);
      ColumnChunk chunk = new ColumnChunk(offset);
      chunk.setMeta_data(metadata);
      return chunk;
    }

    private static org.apache.parquet.format.Statistics bounds(Statistics<?> all) {
      org.apache.parquet.format.Statistics bounds = new org.apache.parquet.format.Statistics();
      if (all.isNumNullsSet()) {
        bounds.setNull_count(all.getNumNulls());
      }
      if (all.hasNonNullValue() && all.isSmallerThan(BOUND_BYTES_MAX)) {
        bounds.setMin_value(all.getMinBytes());
        bounds.setMax_value(all.getMaxBytes());
      }
      return bounds;
    }

    @Override
    public long getMemSize() {
      return (long) data.size() + dictionary.size();
    }

    @Override
    public long allocatedSize() {
      return getMemSize();
    }

    @Override
    public String memUsageString(String prefix) {
      return "%s %s: %d bytes".formatted(prefix, column, getMemSize());
    }
  }
}
