package io.widerow.query.cli.daemon;

import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.figures.Cell;
import io.widerow.query.figures.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.RemoteDocument;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow doctor`: what an operator should look at.
@Command(
    name = "doctor",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Says what an operator of a daemon should look at, the worst first, and what to do",
      "about it. The daemon looks every few seconds; a type that suddenly gets many events",
      "or a sender with a wrong clock is named within ten."
    },
    footer = {
      "",
      "Findings, by code:",
      "  hot-type               more events a second than the shards of the type are meant for",
      "  oversize-partition     weighs more than 2, see widerow partitions --help",
      "  undersize-partitions   more partitions in closed days than the type needs",
      "  lane-skew              one lane gets more than 1.5 times the mean",
      "  clock-skew             a sender whose newest events are 30 s old, or 1 s ahead",
      "  late-share             a sender of whom 20 %% come when their bucket is closed",
      "  many-types             more than 10,000",
      "  certificate            has expired, or soon will",
      "  type-overflow          new types beyond types-max or types-per-hour in the last hour",
      "  retention-backlog      what is past was not freed for two minutes",
      "  clock-jump             this machine's clock",
      "  disk                   full, or soon",
      "  damage                 files that cannot be read whole",
      "  write-failure          writing has ended",
      "  background-failure     sealing or merging failed, and is tried again",
      "  cluster-*              of a store on a cluster",
      "The token needs the scope admin. Exit codes: 0 nothing found, 1 something found, 69",
      "no answer; others are those of widerow query."
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("code", "severity", "subject", "value", "limit", "sentence", "do");

  private final Shell shell;

  @Mixin Asked asked = new Asked();

  DoctorCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new DoctorCommand(shell), shell);
  }

  @Override
  public Integer call() {
    RemoteDocument answer = RemoteDocument.ask(asked.address(shell), "/v1/admin/doctor");
    List<List<Cell>> findings = answer.rows("findings", HEADS);
    OutputBuffer out = new OutputBuffer(1 << 12);
    switch (asked.format(shell)) {
      case json -> out.put(answer.text() + "\n");
      case csv -> new StatsWriter(OutputFormat.csv).write(HEADS, findings, out);
      case table, raw, logfmt -> findings.forEach(finding -> show(finding, out));
    }
    shell.write(out);
    if (findings.isEmpty()) {
      shell.err().println("widerow doctor: nothing found");
    }
    return (findings.isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }

  private static void show(List<Cell> finding, OutputBuffer out) {
    List<String> texts = finding.stream().map(cell -> TextWriter.escaped(cell.text())).toList();
    String severity = texts.get(HEADS.indexOf("severity"));
    out.put(
        "%-5s %s: %s%n".formatted(severity, texts.getFirst(), texts.get(HEADS.indexOf("subject"))));
    out.put("      %s%n".formatted(texts.get(HEADS.indexOf("sentence"))));
    out.put("      do: %s%n".formatted(texts.getLast()));
  }
}
