package io.widerow.query.parquet;

import static java.util.Objects.requireNonNull;

import io.widerow.event.AttributeKind;
import io.widerow.event.AttributeName;
import io.widerow.event.AttributeValue;
import io.widerow.event.AttributeValue.ExactJson;
import io.widerow.event.EventView;
import io.widerow.event.TimeUuid;
import io.widerow.query.Token;
import io.widerow.query.output.EventWriter;
import io.widerow.query.output.OutputBuffer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import org.apache.parquet.column.ColumnWriteStore;
import org.apache.parquet.column.ColumnWriter;
import org.apache.parquet.column.ParquetProperties;
import org.apache.parquet.format.ColumnChunk;
import org.apache.parquet.format.ColumnOrder;
import org.apache.parquet.format.FileMetaData;
import org.apache.parquet.format.KeyValue;
import org.apache.parquet.format.RowGroup;
import org.apache.parquet.format.TypeDefinedOrder;
import org.apache.parquet.format.Util;
import org.apache.parquet.io.api.Binary;
import org.jspecify.annotations.Nullable;

/// A Parquet file of events, with the columns of [EventSchema]: row groups as they become full, and
/// the footer at the end. A file that was cut off has no footer, and no reader takes it.
///
/// - Threads: one.
/// - Memory: one row group, see [#BYTES_MAX], and the footer's entries of earlier groups.
public final class ParquetWriter implements EventWriter {
  /// The maximum memory of a writer: a row group as columns, and compressed, and the bytes of its
  /// last event in each.
  public static final long BYTES_MAX = 48L << 20;

  static final String FORMAT = "widerow.format";
  static final String FORMAT_VERSION = "1";
  static final byte[] MAGIC = "PAR1".getBytes(StandardCharsets.US_ASCII);

  private static final String TOKEN = "widerow.token";
  private static final int FILE_VERSION = 1;

  /// Bytes of values in a row group.
  private static final long GROUP_BYTES = 16L << 20;

  private static final int EVENT_BYTES = 128; // of an event without attributes
  private static final int UUID_BYTES = 36;
  private static final int PAGE_BYTES = 1 << 20;
  private static final long NANOS_PER_MICRO = 1_000;

  private final ParquetProperties properties =
      ParquetProperties.builder()
          .withWriterVersion(ParquetProperties.WriterVersion.PARQUET_1_0)
          .withPageSize(PAGE_BYTES)
          .build();
  private final AttributeValue value = new AttributeValue();
  private final EventView.AttributeVisitor attribute = this::attribute;
  private final byte[] uuid = new byte[UUID_BYTES];
  private final List<RowGroup> groups = new ArrayList<>();
  private ColumnChunks pages = new ColumnChunks();
  private ColumnWriteStore columns = properties.newColumnWriteStore(EventSchema.MESSAGE, pages);
  private ColumnWriter[] writers = writersOf(columns);
  private long position; // bytes written
  private long rows;
  private long groupRows;
  private long groupBytes;

  // Of the current event.
  private boolean hasBody;
  private int attributes;
  private int numbers;
  private int kinds;

  private static ColumnWriter[] writersOf(ColumnWriteStore columns) {
    return EventSchema.COLUMNS.stream().map(columns::getColumnWriter).toArray(ColumnWriter[]::new);
  }

  @Override
  public void begin(OutputBuffer out) {
    out.put(MAGIC);
    position = MAGIC.length;
  }

  @Override
  public void event(EventView event, OutputBuffer out) {
    TimeUuid.print(event.idTime(), event.idTail(), uuid, 0);
    long nanos = event.timeNanos();
    writers[EventSchema.ID].write(Binary.fromConstantByteArray(uuid.clone()), 0, 0);
    writers[EventSchema.TS].write(Math.floorDiv(nanos, NANOS_PER_MICRO), 0, 0);
    writers[EventSchema.NANOS].write(nanos, 0, 0);
    writers[EventSchema.TYPE].write(Binary.fromString(event.type()), 0, 0);
    hasBody = false;
    attributes = 0;
    numbers = 0;
    kinds = 0;
    groupBytes += EVENT_BYTES;
    event.forEach(value, attribute);
    if (!hasBody) {
      writers[EventSchema.BODY].writeNull(0, 0);
    }
    endMap(EventSchema.ATTRIBUTES, attributes);
    endMap(EventSchema.NUMBERS, numbers);
    endMap(EventSchema.KINDS, kinds);
    columns.endRecord();
    groupRows++;
    if (groupBytes >= GROUP_BYTES) {
      endGroup(out);
    }
  }

  private void attribute(AttributeName name, AttributeValue each) {
    boolean isString = each.kind() == AttributeKind.STRING;
    groupBytes += each.kind().isText() ? each.length() : 2L * Long.BYTES;
    if (isString && name.equals(AttributeName.BODY)) {
      writers[EventSchema.BODY].write(Binary.fromConstantByteArray(each.toBytes()), 0, 1);
      hasBody = true;
      return;
    }
    byte[] utf8 = new byte[name.length()];
    name.copyTo(utf8, 0);
    Binary key = Binary.fromConstantByteArray(utf8);
    groupBytes += utf8.length;
    int more = repetition(attributes++);
    writers[EventSchema.ATTRIBUTES].write(key, more, 1);
    writers[EventSchema.ATTRIBUTES + 1].write(text(each), more, 1);
    if (isString) {
      return;
    }
    int moreKinds = repetition(kinds++);
    writers[EventSchema.KINDS].write(key, moreKinds, 1);
    writers[EventSchema.KINDS + 1].write(Kinds.name(each.kind()), moreKinds, 1);
    if (each.kind() == AttributeKind.LONG || each.kind() == AttributeKind.DOUBLE) {
      int moreNumbers = repetition(numbers++);
      writers[EventSchema.NUMBERS].write(key, moreNumbers, 1);
      writers[EventSchema.NUMBERS + 1].write(each.asDouble(), moreNumbers, 1);
    }
  }

  /// Returns 0 for the first entry of an event's map, 1 for later entries.
  private static int repetition(int entries) {
    return entries == 0 ? 0 : 1;
  }

  private static Binary text(AttributeValue each) {
    return switch (each.kind()) {
      case STRING -> Binary.fromConstantByteArray(each.toBytes());
      case LONG, BOOLEAN -> Binary.fromString(each.toString());
      case DOUBLE -> Binary.fromString(ExactJson.text(each.bits()));
      case BYTES -> Binary.fromConstantByteArray(Base64.getEncoder().encode(each.toBytes()));
    };
  }

  private void endMap(int column, int entries) {
    if (entries == 0) {
      writers[column].writeNull(0, 0);
      writers[column + 1].writeNull(0, 0);
    }
  }

  private void endGroup(OutputBuffer out) {
    columns.flush();
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    List<ColumnChunk> chunks = new ArrayList<>();
    long plainBytes = 0;
    try {
      for (var column : EventSchema.COLUMNS) {
        ColumnChunk chunk = pages.put(column, position + file.size(), file);
        plainBytes += requireNonNull(chunk.getMeta_data()).getTotal_uncompressed_size();
        chunks.add(chunk);
      }
    } catch (IOException impossible) { // it goes to memory
      throw new UncheckedIOException(impossible);
    }
    RowGroup group = new RowGroup(chunks, plainBytes, groupRows);
    group.setFile_offset(position);
    group.setTotal_compressed_size(file.size());
    groups.add(group);
    rows += groupRows;
    put(file, out);
    closeGroup();
    pages = new ColumnChunks();
    columns = properties.newColumnWriteStore(EventSchema.MESSAGE, pages);
    writers = writersOf(columns);
    groupRows = 0;
    groupBytes = 0;
  }

  private void put(ByteArrayOutputStream file, OutputBuffer out) {
    out.put(file.toByteArray());
    position += file.size();
  }

  @Override
  public void end(@Nullable Token token, OutputBuffer out) {
    if (groupRows > 0) {
      endGroup(out);
    }
    FileMetaData footer = new FileMetaData(FILE_VERSION, EventSchema.elements(), rows, groups);
    List<ColumnOrder> orders = new ArrayList<>();
    EventSchema.COLUMNS.forEach(_ -> orders.add(ColumnOrder.TYPE_ORDER(new TypeDefinedOrder())));
    footer.setColumn_orders(orders);
    footer.setCreated_by("widerow version " + FORMAT_VERSION);
    footer.addToKey_value_metadata(new KeyValue(FORMAT).setValue(FORMAT_VERSION));
    if (token != null) {
      footer.addToKey_value_metadata(new KeyValue(TOKEN).setValue(token.toString()));
    }
    ByteArrayOutputStream file = new ByteArrayOutputStream();
    try {
      Util.writeFileMetaData(footer, file);
    } catch (IOException impossible) { // it goes to memory
      throw new UncheckedIOException(impossible);
    }
    int length = file.size();
    for (int shift = 0; shift < Integer.SIZE; shift += Byte.SIZE) {
      file.write(length >>> shift);
    }
    file.writeBytes(MAGIC);
    put(file, out);
  }

  private void closeGroup() {
    columns.close();
    pages.close();
  }

  @Override
  public void close() {
    closeGroup();
  }
}
