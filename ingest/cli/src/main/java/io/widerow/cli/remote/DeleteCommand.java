package io.widerow.cli.remote;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.JsonLine;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.query.remote.RemoteRows;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow delete`: deletes events by filter, and proves it.
@Command(
    description = {
      "Deletes the events of a filter from all files of a daemon's store, and proves it."
    },
    footer = {
      "Examples:",
      "  widerow delete plan --where 'user = \"u17\"'",
      "  widerow delete run d-7",
      "  widerow delete show d-7",
      "  widerow delete verify d-7",
      "plan prints the number of the events and an id, such as d-7. run hides the events at once"
          + " and then deletes them. show prints the proof, and verify searches every file again.",
      "The state is done-but while snapshots, quarantined files or journals may still hold the"
          + " events, and waiting while only damaged files may (waitsFor): the events stay hidden"
          + " until these are repaired.",
      "A token needs the scope admin. Exit code 1: verify found events. Other exit codes: see"
          + " `widerow query --help`."
    })
public final class DeleteCommand {
  private static final String PATH = "/v1/admin/delete";
  private static final List<String> PLAN_HEADS =
      List.of("id", "events", "ahead", "partitions", "figures", "figureEvents");
  private static final List<String> VERIFY_HEADS = List.of("id", "matches");
  private static final long LOOK_MILLIS = 200;

  private final Shell shell;

  public DeleteCommand(Shell shell) {
    this.shell = shell;
  }

  @Command(name = "list", mixinStandardHelpOptions = true)
  int list(@Mixin DaemonOptions daemon) {
    List<String> lines = RemoteRows.lines(daemon.address(shell), PATH);
    lines.forEach(this::print);
    if (lines.stream().noneMatch(line -> JsonLine.parse(line).containsKey("id"))) {
      shell.err().println("widerow delete: there are no deletions");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "plan",
      mixinStandardHelpOptions = true,
      description = "Prints the id that `widerow delete run` takes. Changes nothing.")
  int plan(
      @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
          @Nullable List<String> types,
      @Option(names = "--where", paramLabel = "FILTER", description = "Only these events.")
          @Nullable String where,
      @Option(
              names = "--from",
              paramLabel = "TIME",
              description = "Start of the range (inclusive).")
          @Nullable String from,
      @Option(
              names = "--to",
              paramLabel = "TIME",
              description = "End of the range (exclusive). Default: now.")
          @Nullable String to,
      @Mixin RemoteOptions how) {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    if (types != null && !types.isEmpty()) {
      parameters.put("type", new ArrayList<>(types));
    }
    ParameterText.put(parameters, "where", where);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    how.show(shell, RemoteRows.change(how.address(shell), "POST", PATH, parameters, PLAN_HEADS));
    return ExitCode.OK.number;
  }

  @Command(
      name = "run",
      mixinStandardHelpOptions = true,
      description =
          "Hides the events at once, waits until no readable file has them, and prints the proof."
              + " The daemon continues if this command or the daemon is stopped.")
  int run(
      @Parameters(paramLabel = "ID", description = "Such as d-7.") String id,
      @Mixin DaemonOptions options)
      throws InterruptedException {
    DaemonAddress asked = options.address(shell);
    RemoteDocument now = RemoteDocument.ask(asked, "POST", path(id));
    while (now.text().contains("\"state\":\"running\"")) {
      Thread.sleep(LOOK_MILLIS);
      now = RemoteDocument.ask(asked, path(id));
    }
    print(now.text());
    return ExitCode.OK.number;
  }

  @Command(
      name = "show",
      mixinStandardHelpOptions = true,
      description = "Prints the proof as JSON, and the progress.")
  int show(
      @Parameters(paramLabel = "ID", description = "Such as d-7.") String id,
      @Mixin DaemonOptions options) {
    print(RemoteDocument.ask(options.address(shell), path(id)).text());
    return ExitCode.OK.number;
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      description = "Reads every file. Exit code 1: an event was found.")
  int verify(
      @Parameters(paramLabel = "ID", description = "Such as d-7.") String id,
      @Mixin RemoteOptions how) {
    String path = path(id) + "/verify";
    RemoteRows found = RemoteRows.ask(how.address(shell), path, VERIFY_HEADS);
    how.show(shell, found);
    boolean none = found.first().getLast().text().equals("0");
    return (none ? ExitCode.OK : ExitCode.DAMAGE_FOUND).number;
  }

  private static String path(String id) {
    return PATH + "/" + URLEncoder.encode(id, StandardCharsets.UTF_8);
  }

  private void print(String line) {
    OutputBuffer out = new OutputBuffer(1 << 10);
    out.put(line + "\n");
    shell.write(out);
  }
}
