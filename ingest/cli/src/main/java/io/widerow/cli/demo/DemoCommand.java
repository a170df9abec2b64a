package io.widerow.cli.demo;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Main;
import io.widerow.cli.Shell;
import io.widerow.cli.backup.S3Arguments;
import io.widerow.cli.serve.LogSetup;
import io.widerow.cli.serve.ServeCommand;
import io.widerow.ingest.Daemon;
import io.widerow.ingest.SourceRefusedException;
import io.widerow.ingest.config.DaemonConfig;
import io.widerow.ingest.config.MemoryPlan;
import io.widerow.storage.EventStore;
import io.widerow.storage.embedded.EmbeddedStore;
import java.io.IOException;
import java.io.PrintWriter;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/// `widerow demo`: starts a daemon on a fresh directory, sends it real log files over six
/// protocols, runs the first queries of a new user, and prints the next commands.
@Command(
    description = {
      "Starts a daemon on a new directory, sends it real log files by six protocols, and runs the"
          + " first queries of a new user, in a minute."
    })
public final class DemoCommand implements Callable<Integer> {
  /// The file by which the demo knows a store of its own. It lies inside the store's directory, so
  /// that it goes when the directory goes.
  static final String MARKER = "WIDEROW-DEMO";

  private static final String EXAMPLE = "cassandra://HOST/widerow?dc=dc1&replication=3";

  /// Where a daemon of a cluster has its own store.
  private static final String SPOOL = "spool";

  /// What `--backup` has without a URL.
  private static final String DEFAULT_PLACE = "default";

  private static final DateTimeFormatter STAMP =
      DateTimeFormatter.ofPattern("yyyyMMdd'T'HHmmss'Z'").withZone(ZoneOffset.UTC);

  private final Shell shell;

  @Spec private @Nullable CommandSpec spec;

  @Option(names = "--logs", description = "Directory of the log files.", paramLabel = "DIR")
  private Path logs = Path.of("loadgen/logs");

  @Option(
      names = "--data",
      description = "Store of the demo, replaced each time. Default: ${DEFAULT-VALUE}.",
      paramLabel = "DIR")
  private Path data = Path.of("widerow-demo");

  @Option(
      names = "--store",
      description = {
        "Use a cluster, cassandra://HOST/KEYSPACE?dc=NAME. In a checkout, `cassandra` starts a node"
            + " for the demo, with a JDK 17."
      },
      paramLabel = "URI")
  private @Nullable String cluster;

  @Option(
      names = "--kafka",
      description =
          "Also read HOST:PORT/TOPIC, topics of a broker of yours, as the key kafka of serve does."
              + " Useful with --keep.",
      paramLabel = "SOURCE")
  private @Nullable String kafka;

  @Option(
      names = {"--backup", "--s3"},
      arity = "0..1",
      fallbackValue = DEFAULT_PLACE,
      description = {
        "Also back up the store to URL, delete it, and restore it. URL is file:/DIRECTORY or"
            + " s3://BUCKET/PREFIX; each demo adds a directory to it. Default: the directory of"
            + " --data with -backup at the end of its name."
      },
      paramLabel = "URL")
  private @Nullable String backup;

  @Mixin private S3Arguments s3 = new S3Arguments();

  @Option(names = "--keep", description = "Keep the daemon and its page until Ctrl-C.")
  private boolean keep;

  @Option(
      names = "--shown",
      hidden = true,
      description = "Name of the launcher in the output.",
      paramLabel = "NAME")
  private String shown = "widerow";

  @Option(
      names = "--rehearse",
      hidden = true,
      description = "Send the logs to this daemon and query it, as the first users of a start do.",
      paramLabel = "URL")
  private @Nullable String rehearse;

  public DemoCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() throws IOException, InterruptedException {
    LogSetup.apply();
    if (rehearse != null) {
      feed(new DemoFeed(rehearse, logs), null);
      new DemoRehearsal(rehearse).run();
      return 0;
    }
    if (backup != null && keep) {
      return refuse("--backup stops the daemon to lose its store; leave out --keep");
    }
    List<Path> replaced = new ArrayList<>(List.of(data));
    if (DEFAULT_PLACE.equals(backup)) {
      replaced.add(defaultPlace());
    }
    for (Path directory : replaced) {
      if (!mayReplace(directory)) {
        return refuse(
            directory.toAbsolutePath()
                + " is not empty and no demo made it; nothing was changed."
                + " Give another directory with --data, or delete this one yourself");
      }
    }
    clear();
    Map<String, String> keys = new HashMap<>();
    keys.put("data", data.toString());
    keys.put("http", "127.0.0.1:0");
    keys.put("syslog", "127.0.0.1:0");
    Path transforms = Files.writeString(Files.createTempFile("demo", ".conf"), "parse by sight\n");
    transforms.toFile().deleteOnExit(); // the daemon looks at it as long as it runs
    keys.put("transforms", transforms.toString());
    if (keep) { // else they would be the latest events
      keys.put("self-metrics", "15s");
    }
    if (cluster != null) {
      keys.put("store", cluster);
    }
    if (kafka != null) {
      keys.put("kafka", kafka);
    }
    String place = backup == null ? null : place(backup);
    if (place != null) {
      keys.put("backup", place);
      keys.putAll(s3.keys());
    }
    DaemonConfig config;
    try {
      config = DaemonConfig.of(keys);
    } catch (IllegalArgumentException wrong) {
      return refuse(wrong.getMessage());
    }
    MemoryPlan.limitNetwork();
    int worst;
    DemoStay stay = new DemoStay();
    try (EventStore store = ServeCommand.openConfigured(config);
        Daemon daemon = Daemon.start(config, store)) {
      mark(data);
      String url = "http://127.0.0.1:" + daemon.httpAddress().getPort();
      say("A daemon runs on %s and writes to %s.".formatted(url, cluster == null ? data : cluster));
      DemoFeed feed = new DemoFeed(url, logs);
      feed(feed, daemon.socketAddress("syslog"));
      worst = kafka == null ? 0 : topics(url, feed, kafka);
      worst |= show(url, feed);
      if (place != null) {
        worst |= ship(url, place);
      }
      page(url);
      if (keep) {
        stay.untilAsked();
      }
    } catch (SourceRefusedException refused) {
      return refuse(refused.getMessage());
    } finally {
      stay.over();
    }
    return place == null ? worst : worst | loseAndRestore(place);
  }

  private int refuse(@Nullable String why) {
    own().getErr().println("widerow demo: " + why);
    return ExitCode.USAGE.number;
  }

  /// The directory to which `--backup` without a URL backs up.
  private Path defaultPlace() {
    Path absolute = data.toAbsolutePath().normalize();
    return absolute.resolveSibling(absolute.getFileName() + "-backup");
  }

  /// The URL of this demo's backup. That of an earlier demo belongs to another store.
  private String place(String url) throws IOException {
    if (!url.equals(DEFAULT_PLACE)) {
      return url + (url.endsWith("/") ? "" : "/") + "demo-" + STAMP.format(Instant.now());
    }
    Path directory = defaultPlace();
    if (Files.exists(directory)) {
      delete(directory);
    }
    Files.createDirectory(directory);
    mark(directory);
    return "file:" + directory;
  }

  /// Whether a directory has no files that a user may need.
  private static boolean mayReplace(Path directory) throws IOException {
    return !Files.exists(directory)
        || Files.exists(directory.resolve(MARKER))
        || (Files.isDirectory(directory) && isEmpty(directory));
  }

  private static boolean isEmpty(Path directory) throws IOException {
    try (var files = Files.list(directory)) {
      return files.findAny().isEmpty();
    }
  }

  private static void mark(Path directory) throws IOException {
    Path _ =
        Files.writeString(directory.resolve(MARKER), "The next demo replaces this directory.\n");
  }

  /// Deletes the store of an earlier demo, and nothing else.
  private void clear() throws IOException {
    if (!Files.exists(data) || isEmpty(data)) {
      return;
    }
    Path spool = data.resolve(SPOOL);
    Path store = Files.exists(spool) ? spool : data;
    try (EventStore _ = EmbeddedStore.openForReading(store.toAbsolutePath())) {
      say("Replacing the store of an earlier demo in %s.".formatted(data));
    }
    delete(data);
  }

  private static void delete(Path directory) throws IOException {
    List<Path> deepestFirst;
    try (var files = Files.walk(directory)) {
      deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
    }
    for (Path path : deepestFirst) {
      Files.delete(path);
    }
  }

  private void feed(DemoFeed feed, @Nullable InetSocketAddress syslog)
      throws IOException, InterruptedException {
    say("");
    say("Sending real logs with their own times. Every response reports the durability level:");
    say("  access log as text over HTTP      %s".formatted(feed.accessLog()));
    say("  broker log as text over HTTP      %s".formatted(feed.brokerLog()));
    say("  its numbers as line protocol      %s".formatted(feed.accessFigures()));
    if (syslog != null) {
      say("  broker errors over syslog (TCP)   %s".formatted(feed.brokerErrors(syslog)));
    }
    say("  404s as documents (_bulk)         %s".formatted(feed.missing()));
    say("  requests an hour over OTLP        %s".formatted(feed.counted()));
    say("  broker warnings as Loki pushes    %s".formatted(feed.brokerWarnings()));
  }

  /// Waits for the topics, and shows how far they are read.
  private int topics(String url, DemoFeed feed, String source)
      throws IOException, InterruptedException {
    say("");
    say("It also reads %s.".formatted(source));
    if (!feed.awaitTopics()) {
      say("They are not read to their ends yet; the reason is in the last column.");
    }
    say("$ %s kafka --url %s".formatted(shown, url));
    return Main.commandLine(shell, "kafka").execute("list", "--output", "table", "--url", url);
  }

  private int show(String url, DemoFeed feed) throws IOException, InterruptedException {
    int worst = 0;
    worst |= query(url, "Volume over time", "apache.access", "--histogram");
    worst |= query(url, "The latest events of all types, in one order", "--last", "8");
    worst |=
        query(
            url,
            "Only errors",
            "kafka.broker",
            "--where",
            "body contains \"ERROR\" and body contains \"NoReplicaOnlineException\"",
            "--last",
            "2");
    worst |=
        query(
            url,
            "Fields that were found in the lines (transforms: parse by sight)",
            "apache.access",
            "--stats",
            "count,sum(bytes)",
            "--by",
            "client",
            "--order-by",
            "count desc",
            "--limit",
            "3");
    worst |=
        query(
            url,
            "Percentiles by an attribute",
            "http",
            "--stats",
            "count,p50(bytes),p99(bytes),max(bytes)",
            "--by",
            "status");
    worst |=
        query(
            url,
            "A counter of OpenTelemetry, added up by day",
            "http.requests",
            "--where",
            "status = \"404\"",
            "--stats",
            "sum(value)",
            "--every",
            "1d");
    worst |= pages(url, feed.tokenAfter("apache.access", 2));
    say("");
    say("Commands to try next:");
    if (cluster == null) {
      nextOnThisMachine();
    } else {
      say("  %s serve --data ./widerow-data --store '%s'".formatted(shown, EXAMPLE));
      say("  %s query --store '%s' --last 20".formatted(shown, EXAMPLE));
    }
    return worst;
  }

  /// Has everything shipped.
  private int ship(String url, String place) {
    say("");
    say("# The backup in %s".formatted(place));
    say("$ %s backup now".formatted(shown));
    return Main.commandLine(shell, "backup").execute("now", "--url", url);
  }

  /// Deletes the store of this demo, as a broken disk would, and makes it again.
  private int loseAndRestore(String place) throws IOException {
    say("");
    say("# The daemon is stopped. Its directory is lost, and restored");
    int worst = count();
    say("$ rm -r %s".formatted(data));
    delete(data);
    List<String> arguments =
        new ArrayList<>(List.of("restore", "--from", place, "--data", data.toString()));
    s3.keys()
        .forEach((key, value) -> {
          arguments.add("--" + key);
          if (!key.equals("insecure")) {
            arguments.add(value);
          }
        });
    say("$ %s backup %s".formatted(shown, String.join(" ", arguments)));
    int code = Main.commandLine(shell, "backup").execute(arguments.toArray(String[]::new));
    if (code != 0) {
      return code;
    }
    mark(data);
    return worst | count();
  }

  private int count() {
    say("$ %s query --data %s --stats count".formatted(shown, data));
    return Main.commandLine(shell, "query")
        .execute("--data", data.toString(), "--stats", "count", "--output", "table");
  }

  /// Prints the URL of the page.
  private void page(String url) {
    say("");
    if (keep) {
      say("The page over these events, until Ctrl-C:  %s/ui/".formatted(url));
    } else {
      say("The page over these events was %s/ui/; with --keep it stays.".formatted(url));
    }
  }

  private void nextOnThisMachine() {
    say("  %s explore types --data %s".formatted(shown, data));
    say("  %s query --data %s --last 20".formatted(shown, data));
    say(
        "  %s query --data %s apache.access --where 'body contains \"404\"'"
            .formatted(shown, data));
    say("  %s serve --data ./widerow-data      and then, from another terminal:".formatted(shown));
    say("  echo '{\"type\":\"hello\",\"body\":\"first event\"}' | curl -s \\");
    say("      -H 'content-type: application/x-ndjson' --data-binary @- \\");
    say("      http://127.0.0.1:7380/v1/events");
  }

  /// Shows two pages: the token at the end of the first response leads to the second.
  private int pages(String url, String token) {
    return query(url, "The first page", "apache.access", "--limit", "2")
        | query(
            url,
            "The next page, from the token that the first one ended with",
            "apache.access",
            "--limit",
            "2",
            "--after",
            token);
  }

  private int query(String url, String title, String... arguments) {
    List<String> all = new ArrayList<>(List.of(arguments));
    StringBuilder typed = new StringBuilder(shown).append(" query");
    for (String argument : arguments) {
      typed.append(' ').append(argument.matches("[-\\w.,()]+") ? argument : "'" + argument + "'");
    }
    say("");
    say("# %s".formatted(title));
    say("$ %s".formatted(typed));
    all.addAll(List.of("--output", "table", "--url", url));
    return Main.commandLine(shell, "query").execute(all.toArray(String[]::new));
  }

  private void say(String text) {
    PrintWriter out = own().getOut();
    out.println(text);
    out.flush();
  }

  private CommandLine own() {
    if (spec == null) {
      throw new IllegalStateException("called without picocli");
    }
    return spec.commandLine();
  }
}
