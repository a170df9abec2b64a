package io.widerow.query.cli.daemon;

import io.widerow.query.ParameterText;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.query.cli.Shell;
import io.widerow.query.remote.RemoteAnswer;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteSurvey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow partitions`: lists the partitions of a daemon's store and what is in them.
@Command(
    name = "partitions",
    mixinStandardHelpOptions = true,
    versionProvider = CommandLines.Version.class,
    sortOptions = false,
    description = {
      "Lists the partitions (wide rows) of a daemon's store: bucket|type|shard, events,",
      "and bytes at rest. It reads the catalog, no event."
    },
    footer = {
      "",
      "Examples:",
      "  widerow partitions 'nginx.*' --from 2h",
      "  widerow partitions --output csv | sort -t, -k4 -n      the heaviest last",
      "  widerow partitions --segments --from 1d                which files have them",
      "Columns:",
      "  partition  2026-11-20T19 is an hour, 2026-11-20 a day, T19:15+15m 15 minutes",
      "  bytes      in sealed files; events of the last minutes have none yet",
      "  weight     1 is 8 MiB or a million events (partition-bytes, partition-events)",
      "  state      open: takes events; sealed: will be merged; final: merged",
      "  late       came after the bucket had ended, or after its merge, as far as it is known",
      "An event that was written again counts until a merge keeps the last write.",
      "Exit codes are those of widerow query."
    })
public final class PartitionsCommand implements Callable<Integer> {
  private static final List<String> HEADS =
      List.of("partition", "events", "bytes", "weight", "state");
  private static final List<String> LONG_HEADS =
      List.of("partition", "lane", "events", "bytes", "weight", "first", "last", "state", "late");
  private static final List<String> SUM_HEADS =
      List.of("from", "type", "shard", "partitions", "events", "bytes", "weight", "state", "late");
  private static final List<String> SEGMENT_HEADS =
      List.of("segment", "file", "from", "to", "events", "bytes", "partitions", "final", "damaged");
  private static final List<String> LANE_HEADS =
      List.of(
          "lane",
          "slots",
          "slotsUsed",
          "openEvents",
          "openBytes",
          "journalBytes",
          "forcedAgoMicros");
  private static final List<String> DAMAGE_HEADS =
      List.of("damage", "what", "offset", "found", "partition");

  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only buckets that end after this: a date and time, or 2h for so long ago.")
  @Nullable String from;

  @Option(names = "--to", paramLabel = "TIME", description = "Only buckets that begin before this.")
  @Nullable String to;

  @ArgGroup(heading = "Instead of the plain list, one of:%n")
  @Nullable Shown shown;

  @Mixin Asked asked = new Asked();

  /// What is listed instead of partitions.
  static final class Shown {
    @Option(names = "--long", description = "Also lane, first and last event, and late ones.")
    boolean more;

    @Option(names = "--by", paramLabel = "day,type", description = "Sums by day, type, or both.")
    @Nullable String by;

    @Option(names = "--segments", description = "The segment files that have them.")
    boolean segments;

    @Option(names = "--lanes", description = "Rings, open rows and journals of the lanes.")
    boolean lanes;

    @Option(names = "--damage", description = "What is known to be damaged.")
    boolean damage;

    /// How the lines begin, and their members.
    Kind kind() {
      if (segments) {
        return new Kind("{\"segment\":", SEGMENT_HEADS, "segments");
      }
      if (lanes) {
        return new Kind("{\"lane\":", LANE_HEADS, "lanes");
      }
      if (damage) {
        return new Kind("{\"damage\":", DAMAGE_HEADS, "damaged parts");
      }
      return by != null
          ? new Kind("{\"partitions\":", SUM_HEADS, "partitions")
          : new Kind("{\"partition\":", LONG_HEADS, "partitions");
    }
  }

  /// Lines of the daemon's answer.
  ///
  /// @param begin of each line
  /// @param what the lines are about, for messages
  record Kind(String begin, List<String> heads, String what) {}

  PartitionsCommand(Shell shell) {
    this.shell = shell;
  }

  /// Runs the command and exits with its code.
  public static void main(String[] arguments) {
    System.exit(commandLine(Shell.ofProcess()).execute(arguments));
  }

  /// The command with its error handling, to be executed or added to a parent command.
  public static CommandLine commandLine(Shell shell) {
    return CommandLines.of(new PartitionsCommand(shell), shell);
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", types);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    if (shown == null) {
      String path = "/v1/partitions?" + RemoteAnswer.encode(parameters);
      RemoteRows all = RemoteRows.ask(asked.address(shell), path, HEADS);
      asked.show(shell, all);
      tellNone(all.rows().isEmpty(), "partitions");
    } else {
      parameters.put("layout", List.of("true"));
      ParameterText.put(parameters, "by", shown.by);
      Kind kind = shown.kind();
      String path = "/v1/partitions?" + RemoteAnswer.encode(parameters);
      RemoteSurvey all = RemoteSurvey.linesOf(asked.address(shell), path, kind.begin);
      asked.show(shell, all, kind.heads, kind.heads);
      tellNone(all.rows().isEmpty(), kind.what);
    }
    return ExitCode.OK.number;
  }

  private void tellNone(boolean none, String what) {
    if (none) {
      shell.err().println("widerow partitions: there are no " + what);
    }
  }
}
