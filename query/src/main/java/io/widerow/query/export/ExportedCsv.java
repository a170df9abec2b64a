package io.widerow.query.export;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import de.siegmar.fastcsv.reader.FieldMismatchStrategy;
import io.widerow.event.AttributeName;
import io.widerow.event.EventId;
import io.widerow.query.QueryException;
import io.widerow.query.output.ExactValue;
import io.widerow.query.output.JsonLinesWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.LineEvent;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/// CSV as an export writes it: `id,ts,type,body,attributes`.
final class ExportedCsv extends ExportedFile {
  private static final List<String> COLUMNS = List.of("id", "ts", "type", "body", "attributes");
  private static final int FIELD_CHARS_MAX = 16 << 20;

  private final String name;
  private final CsvReader<CsvRecord> records;
  private final Iterator<CsvRecord> rows;
  private final JsonLinesWriter writer = JsonLinesWriter.exact();

  ExportedCsv(String name, InputStream in) throws IOException {
    this.name = name;
    records =
        CsvReader.builder()
            .maxBufferSize(FIELD_CHARS_MAX)
            .extraFieldStrategy(FieldMismatchStrategy.IGNORE)
            .missingFieldStrategy(FieldMismatchStrategy.IGNORE)
            .allowUnclosedQuote(false)
            .ofCsvRecord(new InputStreamReader(in, StandardCharsets.UTF_8));
    rows = records.iterator();
    requireColumns();
  }

  private void requireColumns() throws IOException {
    List<String> head;
    try {
      head = rows.next().getFields();
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    } catch (CsvParseException bad) {
      close();
      throw refused(name, String.valueOf(bad.getMessage()));
    }
    if (!head.equals(COLUMNS)) {
      close();
      throw refused(
          name,
          "its columns are %s, not %s"
              .formatted(String.join(",", head), String.join(",", COLUMNS)));
    }
  }

  @Override
  Found read(OutputBuffer out) throws IOException {
    CsvRecord row;
    try {
      if (!rows.hasNext()) {
        return Found.END;
      }
      row = rows.next();
    } catch (UncheckedIOException failed) {
      throw failed.getCause();
    } catch (CsvParseException damaged) {
      throw new StorageException.Corrupt(
          name, 0, "no CSV after line %d: %s".formatted(number(), damaged.getMessage()));
    }
    number(row.getStartingLineNumber());
    List<String> fields = row.getFields();
    if (fields.size() != COLUMNS.size()) {
      return bad(
          fields.getFirst().equals("error")
              ? "the export ended here with an error: " + fields.getLast()
              : "%d columns, not %d".formatted(fields.size(), COLUMNS.size()));
    }
    int before = out.length();
    try {
      writer.event(event(fields), out);
      return Found.EVENT;
    } catch (IllegalArgumentException | DateTimeException | ArithmeticException bad) {
      out.truncate(before);
      return bad(String.valueOf(bad.getMessage()));
    } catch (QueryException.Remote notJson) {
      out.truncate(before);
      return bad("attributes: not the JSON object that an export writes");
    }
  }

  private static LineEvent event(List<String> fields) {
    SortedMap<AttributeName, Object> attributes = new TreeMap<>();
    JsonLine.parse(fields.get(4))
        .forEach((name, value) -> attributes.put(AttributeName.of(name), value(name, value)));
    if (!fields.get(3).isEmpty()) {
      attributes.put(AttributeName.BODY, fields.get(3));
    }
    Instant time = Instant.parse(fields.get(1));
    long nanos =
        Math.addExact(
            Math.multiplyExact(time.getEpochSecond(), 1_000_000_000L), (long) time.getNano());
    return new LineEvent(EventId.parse(fields.get(0)), nanos, fields.get(2), attributes);
  }

  private static Object value(String name, Object value) {
    Object stored = value instanceof Map<?, ?> object ? ExactValue.parse(object) : value;
    if (stored == null) {
      throw new IllegalArgumentException(
          "%s has an unknown kind of value, %s".formatted(name, value));
    }
    return stored;
  }

  @Override
  public void close() throws IOException {
    records.close();
  }
}
