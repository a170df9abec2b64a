package io.widerow.cli.ship;

import io.widerow.cli.DaemonOptions;
import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.query.QueryException;
import io.widerow.query.TimeText;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.storage.StorageException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// The options of `widerow import`. [ImportRun] and [LokiImport] do the work.
@Command(
    description = {
      "Sends the files of `widerow export` to a daemon. Events keep their ids and the kinds of"
          + " their values, so importing the same files again changes nothing. With --from-loki it"
          + " copies the lines of a Loki, with their labels and structured metadata."
    },
    footer = {
      "Examples:",
      "  widerow import november.parquet",
      "  widerow import all/",
      "  widerow import --url https://other:7380 errors.ndjson.gz",
      "  widerow import --from-loki http://loki:3100 --from 30d",
      "The files are Parquet, CSV or NDJSON, the latter two also compressed (gzip, zstd). A file of"
          + " another program is refused before anything is sent. Refused events are listed with"
          + " their line and counted. After an interruption, run the command again.",
      "Loki: variables of logcli name the user (LOKI_USERNAME, LOKI_PASSWORD), a token"
          + " (LOKI_BEARER_TOKEN), the tenant (LOKI_ORG_ID) and certificates"
          + " (LOKI_CA_CERT_PATH). The state directory has the position; run the command again to"
          + " continue, with a later --to as well.",
      "Times are kept to 100 ns. Use `widerow ship` for log files. A token needs the scope ingest.",
      "Exit codes: 0 ok, 1 events refused, 64 usage or no export, 65 damaged file, 66 no such file,"
          + " 69 daemon unavailable or refusing, 70 bug, 74 input/output, 130 stopped."
    })
public final class ImportCommand implements Callable<Integer> {
  private static final int BATCH_BYTES_MAX = 64 << 20;
  private static final String LOKI_SELECTOR = "{service_name=~\".+\"}";
  private static final String SERVICE = "service_name";
  private static final int PAGE_LINES_MAX = 1_000_000;
  private static final int LISTED = 1_000; // refused events of each kind

  private final Shell shell;
  private final StopSignal stop;

  @Parameters(
      arity = "0..*",
      paramLabel = "FILE",
      description = "Files of an export, or directories with them.")
  List<Path> files = new ArrayList<>();

  @Mixin DaemonOptions daemon = new DaemonOptions();

  @Option(
      names = "--durability",
      paramLabel = "LEVEL",
      description = "quorum, disk, os or memory. Default: that of the daemon.")
  ShipCommand.@Nullable Level durability;

  @Option(
      names = "--batch-bytes",
      paramLabel = "N",
      defaultValue = "1048576",
      description = "Bytes of events in one request. Default: ${DEFAULT-VALUE}.")
  int batchBytes;

  @Option(
      names = "--give-up-after",
      paramLabel = "TIME",
      defaultValue = "1m",
      description = "End if the daemon is unavailable for this time. Default: ${DEFAULT-VALUE}.")
  String giveUpAfter = "1m";

  @Option(
      names = "--from-loki",
      paramLabel = "URL",
      description = "Copy the lines of this Loki instead of files.")
  @Nullable String fromLoki;

  @Option(
      names = "--query",
      paramLabel = "SELECTOR",
      defaultValue = LOKI_SELECTOR,
      description = "Streams to copy. Default: ${DEFAULT-VALUE}.")
  String selector = LOKI_SELECTOR;

  @Option(
      names = "--from",
      paramLabel = "TIME",
      description = "First time to copy from Loki, such as 30d or 2026-11-01T00:00:00Z.")
  @Nullable String from;

  @Option(
      names = "--to",
      paramLabel = "TIME",
      description = "First time not to copy from Loki. Default: now.")
  @Nullable String until;

  @Option(
      names = "--state",
      paramLabel = "DIR",
      defaultValue = "widerow-import-loki",
      description = "Directory with the position in Loki. Default: ${DEFAULT-VALUE}.")
  Path state = Path.of("widerow-import-loki");

  @Option(
      names = "--page-lines",
      paramLabel = "N",
      defaultValue = "5000",
      description = "Lines of a page of Loki. Default: ${DEFAULT-VALUE}.")
  int pageLines;

  public ImportCommand(Shell shell) {
    this.shell = shell;
    this.stop = new StopSignal();
  }

  @Override
  public Integer call() throws IOException {
    if (batchBytes < 1 || batchBytes > BATCH_BYTES_MAX) {
      throw new QueryException.Refused(
          "batch-bytes", "must be 1 to %d, got %d".formatted(BATCH_BYTES_MAX, batchBytes));
    }
    if (files.isEmpty() == (fromLoki == null)) {
      throw new QueryException.Refused("FILE", "name files or --from-loki URL, one of both");
    }
    List<Path> all = new ArrayList<>();
    for (Path given : files) {
      add(given, all);
    }
    Console console = new Console("import", shell.err(), shell.errToTerminal());
    Tally tally = new Tally(console, LISTED);
    String level = durability == null ? "" : durability.name();
    long giveUp = TimeText.positive("give-up-after", giveUpAfter);
    ExitCode code;
    try (Sender sender = new Sender(daemon.address(shell), level, tally, console, stop, giveUp)) {
      String loki = fromLoki;
      code =
          loki == null
              ? new ImportRun(batchBytes, sender, tally, console, stop).run(all)
              : copy(loki, sender, tally, console, giveUp);
    } finally {
      console.end();
    }
    shell.out().write((tally.summary() + "\n").getBytes(StandardCharsets.UTF_8));
    shell.out().flush();
    return code.number;
  }

  private ExitCode copy(String url, Sender sender, Tally tally, Console console, long giveUp)
      throws IOException {
    if (pageLines < 1 || pageLines > PAGE_LINES_MAX) {
      throw new QueryException.Refused(
          "page-lines", "must be 1 to %d, got %d".formatted(PAGE_LINES_MAX, pageLines));
    }
    if (!selector.strip().startsWith("{") || !selector.strip().endsWith("}")) {
      throw new QueryException.Refused("query", "must be a selector {...}, got " + selector);
    }
    Map<String, String> environment = shell.environment();
    String certificates = environment.getOrDefault("LOKI_CA_CERT_PATH", "");
    DaemonAddress loki =
        DaemonAddress.of(
            url,
            certificates.isEmpty() ? null : Path.of(certificates),
            Map.of(
                DaemonAddress.TOKEN_VARIABLE, environment.getOrDefault("LOKI_BEARER_TOKEN", "")));
    long now = nowNanos();
    Long first = from == null ? null : TimeText.parse("from", from, now);
    Long last = until == null ? null : TimeText.parse("to", until, now);
    String tenant = environment.getOrDefault("LOKI_ORG_ID", "");
    String origin = "%s %s %s".formatted(loki, tenant.isEmpty() ? "-" : tenant, selector);
    try (CheckpointDirectory directory = CheckpointDirectory.open(state);
        LokiSource source =
            new LokiSource(loki, environment, selector, pageLines, console, stop, giveUp)) {
      LokiImport run =
          new LokiImport(source, sender, tally, console, stop, directory, origin, batchBytes);
      run.begin(first, last, now);
      if (selector.equals(LOKI_SELECTOR)) {
        List<String> others = source.others(SERVICE, run.fromNanos(), run.untilNanos());
        if (!others.isEmpty()) {
          console.tell(
              "streams without service_name are not copied; copy them with --query, one after the"
                  + " other, each with a --state of its own: "
                  + String.join(" ", others));
        }
      }
      return run.run();
    }
  }

  private static long nowNanos() {
    Instant now = Instant.now();
    return now.getEpochSecond() * 1_000_000_000L + now.getNano();
  }

  private static void add(Path given, List<Path> all) throws IOException {
    if (!Files.exists(given)) {
      throw new StorageException.Incompatible(given, "no such file");
    }
    if (!Files.isDirectory(given)) {
      all.add(given);
      return;
    }
    int before = all.size();
    try (Stream<Path> names = Files.list(given)) {
      names
          .filter(
              file -> file.getFileName().toString().matches("events-\\d+\\.(parquet|csv|ndjson)"))
          .sorted()
          .forEach(all::add);
    }
    if (all.size() == before) {
      throw new StorageException.Incompatible(given, "no files of an export in it");
    }
  }
}
