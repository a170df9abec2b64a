package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.QueryException;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.DaemonOptions;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.RemoteDocument;
import io.widerow.query.remote.RemoteRows;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow delete`: removes events by filter, and proves it.
@Command(
    name = "delete",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Removes the events of a daemon's store that a filter keeps, from all files, and",
      "proves it. Without a subcommand it lists the deletions that the store remembers."
    },
    footer = {
      "",
      "Examples:",
      "  widerow delete plan --where 'user = \"u17\"'      how many, and an id such as d-7",
      "  widerow delete run d-7                          hides them at once, then removes them",
      "  widerow delete show d-7                         the proof, JSON",
      "  widerow delete verify d-7                       reads every file again",
      "The state is done-but while snapshots, quarantined files or journals may still hold",
      "them, and waiting while only damaged files may (waitsFor): they stay hidden until these",
      "are repaired. The token needs the scope admin. Exit codes are those of widerow query,",
      "and 1 when verify finds any."
    })
public final class DeleteCommand implements Callable<Integer> {
  private static final String PATH = "/v1/admin/delete";
  private static final List<String> PLAN_HEADS =
      List.of("id", "events", "ahead", "partitions", "figures", "figureEvents");
  private static final List<String> VERIFY_HEADS = List.of("id", "matches");
  private static final long LOOK_MILLIS = 200;

  private final Shell shell;

  @Mixin DaemonOptions daemon = new DaemonOptions();

  DeleteCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new DeleteCommand(shell), shell);
  }

  @Override
  public Integer call() {
    List<String> lines = RemoteRows.lines(daemon.address(shell), PATH);
    lines.forEach(this::print);
    if (lines.isEmpty()) {
      shell.err().println("widerow delete: none was planned");
    }
    return ExitCode.OK.number;
  }

  @Command(
      name = "plan",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Counts what would be removed. Changes nothing.")
  int plan(
      @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
          @Nullable List<String> types,
      @Option(names = "--where", paramLabel = "FILTER", description = "Only these events.")
          @Nullable String where,
      @Option(names = "--from", paramLabel = "TIME", description = "Only events from then on.")
          @Nullable String from,
      @Option(
              names = "--to",
              paramLabel = "TIME",
              description = "Only events before then. Default: now.")
          @Nullable String to,
      @Mixin Asked how) {
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
      sortOptions = false,
      description = {
        "Hides the events of a plan at once, waits until no file that can be read has them, and",
        "shows the proof. Stopped meanwhile, or killed, the daemon goes on."
      })
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
      sortOptions = false,
      description = "Shows the proof, and how far it is.")
  int show(
      @Parameters(paramLabel = "ID", description = "Such as d-7.") String id,
      @Mixin DaemonOptions options) {
    print(RemoteDocument.ask(options.address(shell), path(id)).text());
    return ExitCode.OK.number;
  }

  @Command(
      name = "verify",
      mixinStandardHelpOptions = true,
      sortOptions = false,
      description = "Reads every file again. Exit code 1 when any of the events is there.")
  int verify(
      @Parameters(paramLabel = "ID", description = "Such as d-7.") String id, @Mixin Asked how) {
    String path = path(id) + "/verify";
    RemoteRows found = RemoteRows.ask(how.address(shell), path, VERIFY_HEADS);
    how.show(shell, found);
    if (found.rows().isEmpty()) {
      throw new QueryException.Remote("the daemon answered with nothing");
    }
    boolean none = found.rows().getFirst().getLast().text().equals("0");
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
