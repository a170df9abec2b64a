package io.widerow.cli.ship;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.ingest.decode.TimeParser;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.DateTimeException;
import java.time.ZoneId;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of `widerow ship`. [Follower] and [Importer] do the work.
@Command(
    description = {
      "Follows log files as they grow and rotate, or imports them with --once. Each record is"
          + " stored exactly once, even if this program, the daemon or the connection fails."
    },
    footer = {
      "Examples:",
      "  widerow ship /var/log/app.log",
      "  widerow ship '/var/log/app.log*' --start time",
      "  widerow ship '/var/log/containers/*.log'",
      "  widerow ship --once old.log.gz older.log.zst",
      "  journalctl -o json | widerow ship --once - --type journal",
      "Lines are Docker's json-file, CRI, JSON objects or text; format and time are detected."
          + " --start time joins the lines of a trace to one record. The file name gives the type"
          + " (app.log: app), and with Kubernetes the attributes pod, namespace and container. The"
          + " attribute file is the path, host the name of this machine.",
      "The checkpoint directory keeps the acknowledged position of each file. Rotated files are"
          + " read to their end; compressed ones only with --once. After SIGTERM or SIGINT, the"
          + " next start continues there. The token comes from WIDEROW_TOKEN.",
      "Exit codes: 0 ok, 1 --once: events refused, 64 usage, 65 damaged data, 66 no such file, 69"
          + " daemon unavailable or refusing, 70 bug, 74 input/output, 75 checkpoint in use, 130"
          + " --once: stopped."
    })
public final class ShipCommand implements Callable<Integer> {
  private static final Pattern RESERVED = Pattern.compile("type|ts|id|_id|body");
  private static final long ONCE_GIVE_UP_NANOS = 60 * TimeParser.NANOS_PER_SECOND;

  private final Shell shell;
  private final StopSignal stop;
  private final InputStream standardInput;
  private final CountDownLatch ended = new CountDownLatch(1);
  private volatile ExitCode exit = ExitCode.BUG; // at a signal, before anything else is known

  @Parameters(
      arity = "1..*",
      paramLabel = "FILE",
      description = "Files or quoted globs (*, ?, [..], {..}, **); with --once also -, stdin.")
  List<String> files = new ArrayList<>();

  @Option(
      names = {"--to", "--url"},
      paramLabel = "URL",
      description =
          "The daemon: HOST:PORT or a URL. Default: WIDEROW_URL, else 127.0.0.1:7380. Its token:"
              + " WIDEROW_TOKEN.")
  @Nullable String to;

  @Option(
      names = {"--cacert", "--ca"},
      paramLabel = "FILE",
      description =
          "Use TLS and trust only the certificates in this PEM file. Default: WIDEROW_CACERT.")
  @Nullable Path cacert;

  @Option(names = "--type", paramLabel = "TYPE", description = "Type. Default: by file name.")
  @Nullable String type;

  @Option(
      names = "--attr",
      paramLabel = "NAME=VALUE",
      description = "An attribute of all records; may be given several times.")
  Map<String, String> attributes = new LinkedHashMap<>();

  @Option(
      names = "--format",
      paramLabel = "FORM",
      description = "Format of lines: auto (default), text, json, docker or cri.")
  RecordFormat.Format format = RecordFormat.Format.auto;

  @Option(
      names = "--start",
      paramLabel = "RULE",
      description = "Start of a record: time, or an RE2 expression. Default: every line.")
  @Nullable String start;

  @Option(
      names = "--ts",
      paramLabel = "FORM",
      description =
          "Time of a line: auto (default), arrival, rfc3339, clf, log4j, epoch, or a pattern.")
  String ts = "auto";

  @Option(
      names = "--at",
      paramLabel = "BYTES",
      description = "Offset in bytes of the pattern of --ts in the line.")
  int at = -1;

  @Option(
      names = "--zone",
      paramLabel = "ZONE",
      description =
          "Zone of times without a zone, such as UTC or Asia/Tokyo. Default: the zone of this"
              + " machine.")
  @Nullable String zone;

  @Option(
      names = "--once",
      description = "Import to the end and exit; files may be compressed (gzip, zstd).")
  boolean once;

  @Option(
      names = "--checkpoint",
      paramLabel = "DIR",
      description =
          "Directory of the acknowledged positions. Default: widerow-ship; with --once: none.")
  @Nullable Path checkpoint;

  @Option(
      names = "--from",
      paramLabel = "PLACE",
      description = "Read files of the first start from their start (default) or end.")
  Place from = Place.start;

  @Option(
      names = "--exclude",
      paramLabel = "GLOB",
      description = "Names of files to leave out, such as '*.gz'.")
  List<String> excluded = new ArrayList<>();

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "quorum, disk, os or memory. Default: that of the daemon.")
  @Nullable Level durability;

  @Option(
      names = "--poll",
      paramLabel = "TIME",
      description = "Interval of file checks. Default: 250ms.")
  String poll = "250ms";

  @Option(
      names = "--flush-after",
      paramLabel = "TIME",
      description = "Send the last record of several lines after this time. Default: 5s.")
  String flushAfter = "5s";

  @Option(
      names = "--flush-line-after",
      paramLabel = "TIME",
      description = "Send a last line without newline after this time. Default: 1m.")
  String flushLineAfter = "1m";

  @Option(
      names = "--close-after",
      paramLabel = "TIME",
      description = "Close a renamed or deleted file after this time. Default: 5m.")
  String closeAfter = "5m";

  @Option(
      names = "--give-up-after",
      paramLabel = "TIME",
      description =
          "End if the daemon is unavailable for this time. Default: never; with --once: 1m.")
  @Nullable String giveUpAfter;

  @Option(
      names = "--status-every",
      paramLabel = "TIME",
      description = "Interval of status lines, off a terminal. Default: 1m.")
  String statusEvery = "1m";

  @Option(
      names = "--batch-bytes",
      paramLabel = "N",
      description = "Bytes of a file in one request. Default: ${DEFAULT-VALUE}.")
  int batchBytes = RecordFormat.BATCH_BYTES_DEFAULT;

  @Option(
      names = "--record-bytes-max",
      paramLabel = "N",
      description = "Split longer records. Default: ${DEFAULT-VALUE}.")
  int recordBytesMax = RecordFormat.RECORD_BYTES_DEFAULT;

  /// Where files of the first start begin.
  enum Place {
    start,
    end
  }

  /// Levels of an acknowledgement.
  enum Level {
    quorum,
    disk,
    os,
    memory
  }

  /// Reads the standard input of this process.
  public ShipCommand(Shell shell) {
    this(shell, new StopSignal(), System.in);
  }

  /// @param stop ends it, as a signal does
  ShipCommand(Shell shell, StopSignal stop, InputStream standardInput) {
    this.shell = shell;
    this.stop = stop;
    this.standardInput = standardInput;
  }

  @Override
  public Integer call() throws IOException {
    Thread hook = Thread.ofPlatform().name("widerow-stop").unstarted(this::stopAndWait);
    Runtime.getRuntime().addShutdownHook(hook);
    try {
      exit = run();
      return exit.number;
    } finally {
      ended.countDown();
    }
  }

  /// The shutdown hook: asks for the end, and keeps the process alive until it is reached.
  private void stopAndWait() {
    if (ended.getCount() == 0) {
      return; // the process is exiting with its own exit code
    }
    stop.stop();
    try {
      ended.await();
      Runtime.getRuntime().halt(exit.number); // otherwise the exit code would be the signal's
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  private ExitCode run() throws IOException {
    boolean stored = !once || checkpoint != null;
    ShipPlan plan = plan();
    if (stored && files.contains("-")) {
      throw new QueryException.Refused("FILE", "- is for --once without --checkpoint");
    }
    long giveUp =
        giveUpAfter == null
            ? (once ? ONCE_GIVE_UP_NANOS : 0)
            : TimeText.positive("give-up-after", giveUpAfter);
    DaemonAddress address = DaemonAddress.of(to, cacert, shell.environment());
    List<Importer.Source> sources = once ? sources(plan) : List.of();
    Console console = new Console("ship", shell.err(), shell.errToTerminal());
    Tally tally = new Tally(console, 1);
    String level = durability == null ? "" : durability.name();
    ExitCode code;
    try (Sender sender = new Sender(address, level, tally, console, stop, giveUp)) {
      code =
          stored
              ? follow(plan, sender, tally, console, address)
              : new Importer(plan, sender, tally, console, stop).run(sources, standardInput);
    } finally {
      console.end();
    }
    if (once) {
      shell.out().write((tally.summary() + "\n").getBytes(StandardCharsets.UTF_8));
      shell.out().flush();
      if (code == ExitCode.STOPPED) {
        console.tell("stopped; the same command again sends the rest, for 15 minutes once only");
      }
    } else {
      console.tell("stopped; the next start continues here: " + tally.summary());
    }
    return code;
  }

  private ExitCode follow(
      ShipPlan plan, Sender sender, Tally tally, Console console, DaemonAddress address)
      throws IOException {
    Path place = checkpoint == null ? Path.of("widerow-ship") : checkpoint;
    try (CheckpointDirectory directory = CheckpointDirectory.open(place.toAbsolutePath())) {
      if (!once) {
        console.tell(
            "following %s, sending to %s, checkpoint in %s"
                .formatted(String.join(", ", files), address, place));
      }
      new Follower(plan, directory, sender, tally, console, stop).run();
    }
    if (!once) {
      return ExitCode.OK;
    }
    if (stop.isAsked()) {
      return ExitCode.STOPPED;
    }
    return tally.refused() > 0 ? ExitCode.DAMAGE_FOUND : ExitCode.OK;
  }

  /// The name of this machine, as the kernel has it.
  private static String hostName() {
    try {
      return Files.readString(Path.of("/proc/sys/kernel/hostname")).strip();
    } catch (IOException hidden) {
      return "localhost"; // a sandbox without /proc
    }
  }

  private ShipPlan plan() {
    for (String name : attributes.keySet()) {
      if (name.isEmpty() || RESERVED.matcher(name).matches()) {
        throw new QueryException.Refused("attr", "no attribute can be called '" + name + "'");
      }
    }
    List<String> patterns = new ArrayList<>();
    for (String file : files) {
      patterns.add(file.equals("-") ? file : Path.of(file).toAbsolutePath().normalize().toString());
    }
    attributes.putIfAbsent("host", hostName());
    try {
      ZoneId here = zone == null ? ZoneId.systemDefault() : ZoneId.of(zone);
      RecordFormat rules =
          new RecordFormat(format, start, ts, at, here, recordBytesMax, batchBytes);
      FilePatterns _ = new FilePatterns(excluded);
      return new ShipPlan(
          patterns,
          excluded,
          type,
          attributes,
          rules,
          from == Place.end,
          once,
          TimeText.positive("poll", poll),
          TimeText.positive("flush-after", flushAfter),
          TimeText.positive("flush-line-after", flushLineAfter),
          TimeText.positive("close-after", closeAfter),
          TimeText.positive("status-every", statusEvery));
    } catch (DateTimeException noZone) {
      throw new QueryException.Refused("zone", "no such time zone: " + zone);
    } catch (IllegalArgumentException wrong) {
      throw new QueryException.Refused("option", String.valueOf(wrong.getMessage()));
    }
  }

  /// The files of an import. One that is not there is a mistake: nothing is sent then.
  private List<Importer.Source> sources(ShipPlan plan) throws IOException {
    FilePatterns patterns = new FilePatterns(excluded);
    List<Importer.Source> sources = new ArrayList<>();
    for (String given : plan.patterns()) {
      if (given.equals("-")) {
        sources.add(new Importer.Source(null));
        continue;
      }
      List<Path> found = patterns.find(given);
      if (found.isEmpty()) {
        String why =
            Files.isDirectory(Path.of(given))
                ? "is a directory: name its files, as in '" + given + "/*.log'"
                : "no such file";
        throw new StorageException.Incompatible(Path.of(given), why);
      }
      found.forEach(path -> sources.add(new Importer.Source(path)));
    }
    return sources;
  }
}
