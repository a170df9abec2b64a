package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.aggregation.Cell;
import io.widerow.query.aggregation.StatsWriter;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.output.TextWriter;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.RemoteDocument;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/// `widerow check doctor`: reports problems of a daemon.
@Command(
    description = {
      "Lists problems of a daemon, the worst first, each with the action to take. The daemon checks"
          + " every few seconds and reports a sudden increase of a type, or a sender with clock"
          + " skew, within ten seconds."
    },
    footer = {
      "Findings, by code:",
      "  hot-type              more events a second than the shards of the type take",
      "  oversize-partition    weight above 2, see `widerow layout partitions --help`",
      "  undersize-partitions  more partitions in closed days than the type needs",
      "  lane-skew             a lane gets more than 1.5 times the mean",
      "  clock-skew            a sender whose newest events are 30 s old, or 1 s ahead",
      "  late-share            20 %% of a sender's events after their bucket closed",
      "  many-types            more than 10,000",
      "  certificate           expired, or close to it",
      "  type-overflow         new types above types-max, or types-per-hour",
      "  retention-backlog     expired data not freed for two minutes",
      "  clock-jump            a jump of this machine's clock",
      "  disk                  full, or close to it",
      "  damage                files that cannot be read whole",
      "  write-failure         writing has ended",
      "  background-failure    sealing or merging failed and is retried",
      "  cluster-*             of a store on a cluster",
      "A token needs the scope admin. Exit codes: 0 no finding, 1 findings, 69 no response; others:"
          + " see `widerow query --help`."
    })
public final class DoctorCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("code", "severity", "subject", "value", "limit", "sentence", "do");

  private final Shell shell;

  @Mixin RemoteOptions asked = new RemoteOptions();

  public DoctorCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    RemoteDocument answer = RemoteDocument.ask(asked.address(shell), "/v1/admin/doctor");
    List<List<Cell>> findings = answer.rows("findings", HEADS);
    OutputBuffer out = new OutputBuffer(1 << 12);
    switch (asked.format(shell)) {
      case json -> out.put(answer.text() + "\n");
      case csv -> new StatsWriter(OutputFormat.csv).write(HEADS, findings, out);
      case table, raw, logfmt -> {
        findings.forEach(finding -> show(finding, out));
        shell.err().println(versions(JsonLine.parse(answer.text())));
      }
    }
    shell.write(out);
    if (findings.isEmpty()) {
      shell.err().println("widerow check doctor: no finding");
    }
    return (findings.isEmpty() ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }

  private static String versions(Map<String, Object> sent) {
    List<String> texts =
        Stream.of("version", "created", "written")
            .map(name -> TextWriter.escaped(String.valueOf(sent.getOrDefault(name, "unknown"))))
            .toList();
    return "widerow check doctor: daemon %s; store created by %s, last written by %s"
        .formatted(texts.toArray());
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
