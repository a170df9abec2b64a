package io.widerow.cli.cql;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.cql.CqlException;
import io.widerow.query.QueryException;
import io.widerow.query.Variables;
import io.widerow.query.output.OutputBuffer;
import io.widerow.query.output.OutputFormat;
import io.widerow.query.remote.DaemonAddress;
import io.widerow.query.remote.TrustedCertificates;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.Reader;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow cql`: runs CQL statements on a daemon.
@Command(
    description = {
      "Sends statements to a daemon that was started with --cql, and prints their rows. The"
          + " statements come from the arguments, a file, standard input or a prompt."
    },
    footer = {
      "Examples:",
      "  widerow cql \"SELECT ts, body FROM widerow.events LIMIT 20\"",
      "  widerow cql \"DESCRIBE TABLE widerow.events\"",
      "  widerow cql --file schema.cql",
      "  widerow cql",
      "A semicolon ends a statement; the last one needs none. A file ends at its first error, which"
          + " is reported with its line. `exit` leaves the prompt. The token comes from"
          + " WIDEROW_TOKEN. The command also works with Apache Cassandra.",
      "Exit codes: see `widerow query --help`."
    })
public final class CqlCommand implements Callable<Integer> {
  private static final String WHERE_DEFAULT = "127.0.0.1:9042";
  private static final int PORT_DEFAULT = 9042;
  private static final int PAGE_ROWS = 1_000;
  private static final int PAGE_ROWS_SHOWN = 100; // of a table, whose columns grow by page

  private final Shell shell;
  private final InputStream in;
  private final boolean prompts;

  @Parameters(paramLabel = "STATEMENT", description = "The statements.")
  List<String> statements = new ArrayList<>();

  @Option(
      names = {"-f", "--file"},
      paramLabel = "FILE",
      description = "Run the statements of this file.")
  @Nullable Path file;

  @Option(
      names = "--to",
      paramLabel = "HOST:PORT",
      description =
          "The CQL address of the daemon. Default: WIDEROW_CQL, else " + WHERE_DEFAULT + ".")
  @Nullable String to;

  @Option(
      names = {"-k", "--keyspace"},
      paramLabel = "NAME",
      description = "Keyspace of tables without one.")
  @Nullable String keyspace;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description =
          "Use TLS and trust only the certificates in this PEM file. Default: WIDEROW_CACERT.")
  @Nullable Path cacert;

  @Option(
      names = "--output",
      paramLabel = "FORMAT",
      description = "table (default on a terminal), json (default in a pipe) or csv.")
  @Nullable OutputFormat output;

  public CqlCommand(Shell shell) {
    this(shell, System.in, Shell.isInputTyped());
  }

  /// @param prompts whether the input is a terminal
  public CqlCommand(Shell shell, InputStream in, boolean prompts) {
    this.shell = shell;
    this.in = in;
    this.prompts = prompts;
  }

  @Override
  public Integer call() throws IOException {
    if (file != null && !statements.isEmpty()) {
      throw new QueryException.Refused(
          "file", "excludes statements as arguments; give one of both");
    }
    try (Reader text = file == null ? null : Files.newBufferedReader(file);
        CqlConnection connection = open()) {
      if (keyspace != null) {
        execute(connection, "USE \"" + keyspace.replace("\"", "\"\"") + '"');
      }
      if (text != null) {
        executeAll(connection, text);
      } else if (!statements.isEmpty()) {
        var given = new StatementSplitter();
        executeAll(connection, given.take(String.join(" ", statements)), false);
        executeAll(connection, given.finish(), false);
      } else if (prompts) {
        prompt(connection);
      } else {
        executeAll(connection, new InputStreamReader(in, StandardCharsets.UTF_8));
      }
    }
    return ExitCode.OK.number;
  }

  private CqlConnection open() {
    Path trusted = DaemonAddress.certificates(cacert, shell.environment());
    SSLContext tls = trusted == null ? null : TrustedCertificates.of(trusted);
    return CqlConnection.open(address(), tls, DaemonAddress.token(shell.environment()));
  }

  private InetSocketAddress address() {
    String variable = Variables.of("cql");
    String given = to == null ? shell.environment().getOrDefault(variable, WHERE_DEFAULT) : to;
    try {
      URI uri = new URI("cql://" + given.strip());
      if (uri.getHost() != null && uri.getRawPath().isEmpty() && uri.getUserInfo() == null) {
        int port = uri.getPort() < 0 ? PORT_DEFAULT : uri.getPort();
        return InetSocketAddress.createUnresolved(uri.getHost(), port);
      }
    } catch (URISyntaxException | IllegalArgumentException bad) {
      // refused below
    }
    throw new QueryException.Refused(
        to == null ? variable : "to", "must be HOST or HOST:PORT, got " + given);
  }

  private void executeAll(CqlConnection connection, Reader text) throws IOException {
    var given = new StatementSplitter();
    try (BufferedReader lines = new BufferedReader(text)) {
      for (String line = lines.readLine(); line != null; line = lines.readLine()) {
        executeAll(connection, given.take(line + "\n"), true);
      }
    }
    executeAll(connection, given.finish(), true);
  }

  private void executeAll(
      CqlConnection connection, List<StatementSplitter.Statement> all, boolean withLines) {
    for (StatementSplitter.Statement statement : all) {
      try {
        execute(connection, statement.text());
      } catch (QueryException.Remote failed) {
        throw withLines
            ? new QueryException.Remote(
                "line %d: %s".formatted(statement.line(), failed.getMessage()))
            : failed;
      }
    }
  }

  private void execute(CqlConnection connection, String statement) {
    OutputFormat format = shell.format(output);
    int rows = format == OutputFormat.table ? PAGE_ROWS_SHOWN : PAGE_ROWS;
    var shown = new RowsOutput(format);
    OutputBuffer out = new OutputBuffer(1 << 14);
    ByteBuffer position = null;
    do {
      CqlConnection.Answer answer = connection.ask(statement, rows, position);
      answer.warnings().forEach(warning -> shell.err().println("widerow cql: " + warning));
      CqlConnection.Page page = answer.page();
      if (page == null) {
        return;
      }
      try {
        shown.write(page, out);
      } catch (CqlException unreadable) {
        throw new QueryException.Remote("a value cannot be read: " + unreadable.sentence());
      }
      if (!shell.write(out)) {
        return; // the output is closed
      }
      position = page.next();
    } while (position != null);
  }

  /// Executes typed statements, until the end of the input or `exit`. An error ends its statement.
  private void prompt(CqlConnection connection) throws IOException {
    var given = new StatementSplitter();
    BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8));
    while (true) {
      say(given.isBlank() ? "cql> " : "...> ");
      String line = lines.readLine();
      String word = line == null ? "exit" : line.strip().replaceAll(";$", "");
      if (line == null || (given.isBlank() && isWord(word, "exit", "quit"))) {
        say(line == null ? "\n" : "");
        return;
      }
      if (given.isBlank() && isWord(word, "help", "?")) {
        say("Statements end with a semicolon. DESCRIBE TABLES; lists tables; exit leaves.\n");
        continue;
      }
      for (StatementSplitter.Statement statement : given.take(line + "\n")) {
        try {
          execute(connection, statement.text());
        } catch (QueryException.Remote failed) {
          shell.err().println(failed.getMessage());
        }
      }
    }
  }

  private static boolean isWord(String line, String... words) {
    return List.of(words).contains(line.toLowerCase(Locale.ROOT));
  }

  private void say(String text) {
    OutputBuffer out = new OutputBuffer(128);
    out.put(text);
    shell.write(out);
  }
}
