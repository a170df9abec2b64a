package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.workload.Encoder;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Scenario;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Workload;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.stream.Collectors;

/// The reference answers. DuckDB gets every event of the contestants as a row, runs in its own
/// process, and writes its answer to each question into a file.
///
/// - Threads: one.
public final class DuckAnswers {
  private final Path directory;
  private final Workload workload;
  private final List<List<Sample>> batches;
  private final List<String> fields;

  /// @param directory that exists; rows and answers go there
  /// @param batches the drawn events, sent one batch after the other and then again from the first
  public DuckAnswers(Path directory, Workload workload, List<List<Sample>> batches) {
    this.directory = directory;
    this.workload = workload;
    this.batches = List.copyOf(batches);
    String shown = workload.scenario().shownFields;
    this.fields =
        List.of(shown.split(",", -1)).stream()
            .filter(field -> !field.equals("body") && !field.equals("seq"))
            .toList();
  }

  /// The script of a checkout that runs DuckDB.
  ///
  /// @throws IllegalArgumentException when DuckDB is not there
  public static Path program(Path home) {
    Path peers = home.resolve("loadgen/peers");
    if (!Files.isDirectory(peers.resolveSibling("target/peers/duckdb"))) {
      throw new IllegalArgumentException(
          "DuckDB, which computes the right results, is missing; run ./widerow load peers");
    }
    return peers.resolve("duckdb");
  }

  /// Writes the rows and lets DuckDB answer.
  ///
  /// @param program that runs the statements of a file
  public void answer(Path program, List<Question> questions, Question.Subject subject, long events)
      throws IOException, InterruptedException {
    Path rows = directory.resolve("events.csv");
    List<String> statements = new ArrayList<>();
    statements.add("set temp_directory='" + directory + "'");
    if (workload.scenario() == Scenario.FIELDS) {
      writeRows(rows, drawn());
      statements.addAll(tables(rows, events));
    } else {
      writeRows(rows, events);
      statements.add("create table events as " + read(rows));
    }
    for (Question question : questions) {
      if (question == Question.FIELD_ALL) {
        continue; // has EventRows
      }
      statements.add(
          "copy (%s) to '%s' (format csv, header)"
              .formatted(question.duckSql(subject, "events"), of(question)));
    }
    Path script = directory.resolve("statements.sql");
    Files.writeString(script, String.join(";\n", statements) + ";\n");
    Process process =
        new ProcessBuilder(program.toString(), script.toString()).redirectErrorStream(true).start();
    String said;
    try (var out = process.inputReader()) {
      said = out.lines().collect(Collectors.joining(" "));
    }
    int code = process.waitFor();
    if (code != 0) {
      throw new IOException("%s ended with %d: %s".formatted(program, code, said));
    }
    Files.delete(rows);
  }

  private String read(Path rows) {
    String columns =
        fields.stream()
            .map(field -> ", '%s': '%s'".formatted(field, isNumber(field) ? "BIGINT" : "VARCHAR"))
            .collect(Collectors.joining());
    return ("select * from read_csv('%s', header=true, auto_detect=false, delim=',', quote='\"',"
            + " escape='\"', columns={'time_us': 'BIGINT', 'seq': 'BIGINT', 'type': 'VARCHAR',"
            + " 'body': 'VARCHAR'%s})")
        .formatted(rows, columns);
  }

  /// Numbers of metrics stay texts: DuckDB would write them in another form.
  private boolean isNumber(String field) {
    return workload.scenario() == Scenario.FIELDS
        && (field.equals("status") || field.equals("bytes"));
  }

  /// The events with fields, from the drawn ones, which come again and again and differ in nothing
  /// but their times: a file of all would be large. They are kept on disk, compressed.
  private List<String> tables(Path rows, long events) {
    return List.of(
        "attach '%s' as stored".formatted(database()),
        "use stored",
        "create table drawn as " + read(rows),
        "create table events as select (%d + place.range * %d) // 1000 time_us, place.range seq, %s"
                .formatted(workload.fromNanos(), workload.stepNanos(), "type, body, ")
            + String.join(", ", fields)
            + " from range(%d) place join drawn on drawn.seq = %d + place.range %% %d"
                .formatted(events, Stamp.SEQUENCE_BASE, drawn())
            + " order by time_us");
  }

  /// The events with fields, as the table `events`.
  Path database() {
    return directory.resolve("events.duckdb");
  }

  private long drawn() {
    return (long) batches.size() * workload.batchEvents();
  }

  /// All events with fields.
  EventRows events(long count) {
    List<String> titles = new ArrayList<>(List.of("time_us", "type", "body"));
    titles.addAll(fields);
    return new EventRows() {
      @Override
      public List<String> titles() {
        return titles;
      }

      @Override
      public long count() {
        return count;
      }

      @Override
      public List<String> row(long place) {
        Sample sample = sample(place);
        List<String> row = new ArrayList<>(titles.size());
        row.add(Long.toString(Math.floorDiv(workload.timeNanos(place, 0), Quantity.MICRO)));
        row.add(sample.type());
        row.add(Encoder.message(sample));
        fields.forEach(field -> row.add(Objects.requireNonNullElse(sample.text(field), "")));
        return row;
      }

      @Override
      public long placeOf(long micros) {
        long nanos = micros * Quantity.MICRO - workload.fromNanos();
        return Math.ceilDiv(nanos, workload.stepNanos());
      }
    };
  }

  private Sample sample(long sequence) {
    List<Sample> batch = batches.get((int) (sequence / workload.batchEvents() % batches.size()));
    return batch.get((int) (sequence % workload.batchEvents()));
  }

  /// The file with the right answer.
  public Path of(Question question) {
    return directory.resolve(question.name().toLowerCase(Locale.ROOT) + ".csv");
  }

  /// One row for each event, with its text as Cassandra has it and its fields as the others do.
  void writeRows(Path file, long events) throws IOException {
    Stamper stamper = new Stamper();
    try (BufferedWriter out = Files.newBufferedWriter(file)) {
      out.write("time_us,seq,type,body");
      for (String field : fields) {
        out.write("," + field);
      }
      out.write('\n');
      StringBuilder row = new StringBuilder(512);
      for (long sequence = 0; sequence < events; sequence++) {
        row.setLength(0);
        append(sample(sequence), sequence, stamper, row);
        out.append(row);
      }
    }
  }

  private void append(Sample sample, long sequence, Stamper stamper, StringBuilder row) {
    long timeNanos = workload.timeNanos(sequence, sample.shiftNanos());
    row.append(Math.floorDiv(timeNanos, Quantity.MICRO)).append(',');
    row.append(Stamp.SEQUENCE_BASE + sequence).append(',').append(sample.type()).append(',');
    Csv.append(row, stamper.stamped(Encoder.message(sample), sequence, timeNanos));
    for (String field : fields) {
      String text = sample.text(field);
      row.append(',');
      if (text != null) {
        Csv.append(row, text);
      }
    }
    row.append('\n');
  }
}
