package io.widerow.cli.remote;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.ParameterText;
import io.widerow.query.remote.RemoteResponse;
import io.widerow.query.remote.RemoteRows;
import io.widerow.query.remote.RemoteSurvey;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.ArgGroup;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow layout partitions`: lists the partitions of a daemon's store.
@Command(
    description = {
      "Lists the partitions (wide rows) of a daemon's store: bucket|type|shard, events, and bytes"
          + " at rest. It reads the catalog and no event."
    },
    footer = {
      "Examples:",
      "  widerow layout partitions 'nginx.*' --from 2h",
      "  widerow layout partitions --output csv | sort -t, -k4 -n",
      "  widerow layout partitions --segments --from 1d",
      "Columns:",
      "  partition  2026-11-20T19 is an hour, 2026-11-20 a day, T19:15+15m 15 minutes",
      "  bytes      in sealed files; events of the last minutes have none yet",
      "  weight     1 is 8 MiB or a million events (partition-bytes, partition-events)",
      "  state      open: takes events; sealed: to be merged; final: merged",
      "  late       events that came after the end of the bucket, or after its merge",
      "An event that was written again counts until a merge keeps the last write.",
      "Exit codes: see `widerow query --help`."
    })
public final class PartitionsCommand implements Callable<Integer> {
  /// Members that name the kind of a line: the first one counts.
  private static final Set<String> KINDS =
      Set.of("segment", "lane", "damage", "partitions", "partition");

  private static final List<String> HEADS =
      List.of("partition", "events", "bytes", "weight", "state");
  private static final List<String> LONG_HEADS =
      List.of("partition", "lane", "events", "bytes", "weight", "first", "last", "state", "late");
  private static final List<String> SUM_HEADS =
      List.of("from", "type", "shard", "partitions", "events", "bytes", "weight", "state", "late");
  private static final List<String> SEGMENT_HEADS =
      RemoteTable.heads("segment file from to events bytes partitions final damaged cold");
  private static final List<String> LANE_HEADS =
      RemoteTable.heads("lane slots slotsUsed openEvents openBytes journalBytes forcedAgoMicros");
  private static final List<String> DAMAGE_HEADS =
      List.of("damage", "what", "offset", "found", "partition");

  private final Shell shell;

  @Parameters(paramLabel = "TYPE", description = "Types, by name or glob. Default: all.")
  List<String> types = new ArrayList<>();

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "Only buckets that end after this time, as in 2h or 2026-11-20.")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "Only buckets that begin before this time.")
  @Nullable String to;

  @ArgGroup(heading = "%nInstead of the plain list, one of:%n")
  @Nullable Shown shown;

  @Mixin RemoteOptions asked = new RemoteOptions();

  /// Another list instead of the plain one.
  static final class Shown {
    @Option(names = "--long", description = "Add lane, first and last event, and late events.")
    boolean more;

    @Option(
        names = "--by",
        paramLabel = "day,type",
        description = "List sums by day, type, or both.")
    @Nullable String by;

    @Option(names = "--segments", description = "List the segment files.")
    boolean segments;

    @Option(names = "--lanes", description = "List rings, open rows and journals of the lanes.")
    boolean lanes;

    @Option(names = "--damage", description = "List known damage.")
    boolean damage;

    /// The first member of the lines, and their members.
    Kind kind() {
      if (segments) {
        return new Kind("segment", SEGMENT_HEADS, "segments");
      }
      if (lanes) {
        return new Kind("lane", LANE_HEADS, "lanes");
      }
      if (damage) {
        return new Kind("damage", DAMAGE_HEADS, "damaged parts");
      }
      return by != null
          ? new Kind("partitions", SUM_HEADS, "partitions")
          : new Kind("partition", LONG_HEADS, "partitions");
    }
  }

  /// Lines of the daemon's answer.
  ///
  /// @param member of each line that names its kind
  /// @param what the subject of the lines, for messages
  record Kind(String member, List<String> heads, String what) {}

  public PartitionsCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    Map<String, List<String>> parameters = new LinkedHashMap<>();
    parameters.put("type", types);
    ParameterText.put(parameters, "from", from);
    ParameterText.put(parameters, "to", to);
    if (shown == null) {
      String path = "/v1/partitions?" + RemoteResponse.encode(parameters);
      RemoteRows all = RemoteRows.ask(asked.address(shell), path, HEADS);
      asked.show(shell, all);
      tellNone(all.rows().isEmpty(), "partitions");
    } else {
      parameters.put("layout", List.of("true"));
      ParameterText.put(parameters, "by", shown.by);
      Kind kind = shown.kind();
      String path = "/v1/partitions?" + RemoteResponse.encode(parameters);
      RemoteSurvey all = RemoteSurvey.linesOf(asked.address(shell), path, kind.member, KINDS);
      asked.show(shell, all, kind.heads, kind.heads);
      tellNone(all.rows().isEmpty(), kind.what);
    }
    return ExitCode.OK.number;
  }

  private void tellNone(boolean none, String what) {
    if (none) {
      shell.err().println("widerow layout partitions: there are no " + what);
    }
  }
}
