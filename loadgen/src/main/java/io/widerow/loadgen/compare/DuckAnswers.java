package io.widerow.loadgen.compare;

import io.widerow.loadgen.format.Csv;
import io.widerow.loadgen.format.Quantity;
import io.widerow.loadgen.workload.Encoder;
import io.widerow.loadgen.workload.Sample;
import io.widerow.loadgen.workload.Stamp;
import io.widerow.loadgen.workload.Stamper;
import io.widerow.loadgen.workload.Workload;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
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

  /// Writes the rows and lets DuckDB answer.
  ///
  /// @param program that runs the statements of a file
  public void answer(Path program, List<Question> questions, Question.Subject subject, long events)
      throws IOException, InterruptedException {
    Path rows = directory.resolve("events.csv");
    writeRows(rows, events);
    List<String> statements = new ArrayList<>();
    statements.add("set temp_directory='" + directory + "'");
    String texts =
        fields.stream().map(field -> ", '" + field + "': 'VARCHAR'").collect(Collectors.joining());
    statements.add(
        ("create table events as select * from read_csv('%s', header=true, auto_detect=false,"
                + " delim=',', quote='\"', escape='\"', columns={'time_us': 'BIGINT',"
                + " 'seq': 'BIGINT', 'type': 'VARCHAR', 'body': 'VARCHAR'%s})")
            .formatted(rows, texts));
    for (Question question : questions) {
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

  /// The file with the right answer.
  public Path of(Question question) {
    return directory.resolve(question.label() + ".csv");
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
        List<Sample> batch =
            batches.get((int) (sequence / workload.batchEvents() % batches.size()));
        row.setLength(0);
        append(batch.get((int) (sequence % workload.batchEvents())), sequence, stamper, row);
        out.append(row);
      }
    }
  }

  private void append(Sample sample, long sequence, Stamper stamper, StringBuilder row) {
    long timeNanos = workload.timeNanos(sequence, sample.shiftNanos());
    row.append(Math.floorDiv(timeNanos, Quantity.MICRO)).append(',');
    row.append(Stamp.SEQUENCE_BASE + sequence).append(',').append(sample.type()).append(',');
    Csv.append(row, stamper.stamped(Encoder.message(sample), sequence, timeNanos));
    Map<String, String> texts =
        sample.attributes().stream()
            .collect(Collectors.toMap(Sample.Attribute::name, Sample.Attribute::text));
    for (String field : fields) {
      row.append(',').append(texts.getOrDefault(field, ""));
    }
    row.append('\n');
  }
}
