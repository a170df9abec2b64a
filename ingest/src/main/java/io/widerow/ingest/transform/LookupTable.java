package io.widerow.ingest.transform;

import de.siegmar.fastcsv.reader.CsvParseException;
import de.siegmar.fastcsv.reader.CsvReader;
import de.siegmar.fastcsv.reader.CsvRecord;
import io.widerow.event.AttributeName;
import io.widerow.ingest.config.FileVersion;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/// A table of CSV: the first column is the key, the first line has the names of the fields that the
/// other columns add. Of equal keys the first row counts; an empty value is no field.
///
/// - Threads: any; immutable.
/// - Memory: the table, at most [#ROWS_MAX] rows of a file of [#BYTES_MAX] bytes.
final class LookupTable {
  static final int ROWS_MAX = 100_000;
  private static final int BYTES_MAX = 16 << 20;

  private final FileVersion version;
  private final List<AttributeName> names;
  private final Map<String, List<Literal>> rows;

  private LookupTable(
      FileVersion version, List<AttributeName> names, Map<String, List<Literal>> rows) {
    this.version = version;
    this.names = List.copyOf(names);
    this.rows = rows;
  }

  /// @throws IllegalArgumentException when the file is no such table; it names the reason
  static LookupTable read(Path file) {
    FileVersion version = FileVersion.of(file);
    if (version == null) {
      throw new IllegalArgumentException("lookup: %s: no such file".formatted(file));
    }
    try {
      if (Files.size(file) > BYTES_MAX) {
        throw new IllegalArgumentException(
            "lookup: %s: more than %d bytes".formatted(file, BYTES_MAX));
      }
      try (CsvReader<CsvRecord> reader =
          CsvReader.builder()
              .allowUnclosedQuote(false)
              .ofCsvRecord(Files.newBufferedReader(file, StandardCharsets.UTF_8))) {
        return read(file, version, reader.iterator());
      }
    } catch (IOException unreadable) {
      throw unusable(file, FailureReason.of(unreadable), unreadable);
    } catch (UncheckedIOException unreadable) {
      throw unusable(
          file, FailureReason.of(Objects.requireNonNull(unreadable.getCause())), unreadable);
    } catch (CsvParseException bad) {
      throw unusable(file, String.valueOf(bad.getMessage()), bad);
    }
  }

  private static IllegalArgumentException unusable(Path file, String why, Exception cause) {
    return new IllegalArgumentException("lookup: %s: %s".formatted(file, why), cause);
  }

  private static LookupTable read(Path file, FileVersion version, Iterator<CsvRecord> records) {
    if (!records.hasNext()) {
      throw new IllegalArgumentException("lookup: %s: no line of names".formatted(file));
    }
    List<AttributeName> names = new ArrayList<>();
    List<String> head = records.next().getFields();
    if (head.size() < 2) {
      throw new IllegalArgumentException(
          "lookup: %s: a key and one more column are required, got %s".formatted(file, head));
    }
    for (String name : head.subList(1, head.size())) {
      AttributeName field = AttributeName.of(name.strip());
      if (names.contains(field)) {
        throw new IllegalArgumentException("lookup: %s: two columns %s".formatted(file, name));
      }
      names.add(field);
    }
    Map<String, List<Literal>> rows = new HashMap<>();
    while (records.hasNext()) {
      List<String> fields = records.next().getFields();
      if (rows.size() == ROWS_MAX) {
        throw new IllegalArgumentException(
            "lookup: %s: more than %d rows".formatted(file, ROWS_MAX));
      }
      if (!fields.getFirst().isEmpty()) {
        List<Literal> _ =
            rows.putIfAbsent(
                fields.getFirst(),
                fields.subList(1, Math.min(fields.size(), head.size())).stream()
                    .map(Literal::of)
                    .toList());
      }
    }
    return new LookupTable(version, names, rows);
  }

  /// The values of a key, in the order of [#names]; null when there is none.
  @Nullable List<Literal> find(String key) {
    return rows.get(key);
  }

  /// The version of the file that was read.
  FileVersion version() {
    return version;
  }

  List<AttributeName> names() {
    return names;
  }
}
