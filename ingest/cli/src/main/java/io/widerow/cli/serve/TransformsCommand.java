package io.widerow.cli.serve;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.cli.ShownTimes;
import io.widerow.ingest.receive.json.SampleLine;
import io.widerow.ingest.transform.TransformFile;
import io.widerow.ingest.transform.TransformSet;
import io.widerow.ingest.transform.TransformTrial;
import io.widerow.query.QueryException;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.TextWriter;
import io.widerow.storage.FailureReason;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow transforms`: checks a file of transforms, and shows what it does to samples. Both need
/// no daemon.
@Command(
    description = {
      "Transforms change events before they are stored: they find fields in texts, rename, redact"
          + " and drop. The daemon's key transforms names their file."
    },
    footer = {
      "Examples:",
      "  widerow transforms check transforms.conf",
      "  widerow transforms try transforms.conf --sample 'level=warn took=7'",
      "  tail -5 access.log | widerow transforms try transforms.conf --type nginx",
      "Exit codes: 0 ok, 64 a line is no transform."
    })
public final class TransformsCommand {
  private static final int SAMPLES_MAX = 1_000;

  private final Shell shell;

  public TransformsCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(
      name = "check",
      mixinStandardHelpOptions = true,
      description = "Checks each line of a file, and the tables that it looks up.")
  int check(@Parameters(paramLabel = "FILE", description = "The file of transforms.") Path file) {
    TransformSet set = read(file);
    OutputBuffer out = new OutputBuffer(64);
    out.put("%d transforms%n".formatted(set.size()));
    shell.write(out);
    return ExitCode.OK.number;
  }

  @Command(
      name = "try",
      mixinStandardHelpOptions = true,
      description =
          "Shows the event after each transform. A sample is a JSON object, as POST /v1/events"
              + " takes it, or the text of an event.")
  int attempt(
      @Parameters(paramLabel = "FILE", description = "The file of transforms.") Path file,
      @Option(
              names = "--sample",
              paramLabel = "LINE",
              description = "A sample, repeatable. Default: the lines of stdin.")
          List<String> samples,
      @Option(
              names = "--type",
              paramLabel = "TYPE",
              defaultValue = "sample",
              description = "Type of samples that name none. Default: ${DEFAULT-VALUE}.")
          String type,
      @Option(names = "--json", description = "Print a line of JSON for each step.") boolean json) {
    TransformSet set = read(file);
    String text = text(file);
    List<String> lines = samples == null || samples.isEmpty() ? typed() : samples;
    OutputBuffer out = new OutputBuffer(1 << 10);
    for (String sample : lines) {
      List<TransformTrial.Step> steps =
          TransformTrial.run(
              set, batch -> SampleLine.decode(type, sample, batch), ShownTimes.nowNanos());
      out.put(json ? TransformTrial.lines(steps, text) : shown(steps, text.lines().toList()));
      shell.write(out);
    }
    return ExitCode.OK.number;
  }

  /// A line for each step, and the event where it has changed.
  private static String shown(List<TransformTrial.Step> steps, List<String> lines) {
    StringBuilder out = new StringBuilder();
    for (TransformTrial.Step step : steps) {
      out.append("%-8s".formatted(step.effect()));
      if (step.line() > 0) {
        String rule = TextWriter.escaped(lines.get(step.line() - 1).strip());
        out.append("line %d: %s".formatted(step.line(), rule));
      }
      boolean shows = step.line() == 0 || step.effect().equals("changed");
      String event = shows ? TextWriter.escaped(step.event()) : "";
      out.append(shows && step.line() > 0 ? "\n        " : "").append(event).append('\n');
    }
    return out.toString();
  }

  private static TransformSet read(Path file) {
    try {
      return TransformFile.read(file, ShownTimes.nowNanos());
    } catch (IllegalArgumentException unusable) {
      String why = String.valueOf(unusable.getMessage());
      String prefix = "transforms: ";
      throw new QueryException.Refused(
          "transforms", why.startsWith(prefix) ? why.substring(prefix.length()) : why);
    }
  }

  private static String text(Path file) {
    try {
      return Files.readString(file);
    } catch (IOException unreadable) {
      throw new QueryException.Refused(
          "transforms", "cannot read %s: %s".formatted(file, FailureReason.of(unreadable)));
    }
  }

  private static List<String> typed() {
    List<String> lines = new ArrayList<>();
    try {
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
      for (String line = in.readLine(); line != null; line = in.readLine()) {
        if (lines.size() == SAMPLES_MAX) {
          throw new QueryException.Refused(
              "sample", "at most %d lines are tried".formatted(SAMPLES_MAX));
        }
        if (!line.isBlank()) {
          lines.add(line);
        }
      }
    } catch (IOException unreadable) {
      throw new QueryException.Refused("sample", "stdin: " + FailureReason.of(unreadable));
    }
    if (lines.isEmpty()) {
      throw new QueryException.Refused("sample", "is missing; give --sample or lines on stdin");
    }
    return lines;
  }
}
