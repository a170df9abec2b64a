package io.widerow.ingest;

import io.widerow.ingest.config.Tokens;
import io.widerow.query.cli.CommandLines;
import io.widerow.query.cli.ExitCode;
import io.widerow.storage.FailureReason;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/// `widerow token`: makes a token, and its line for the daemon's file of tokens. The token is 256
/// random bits and is shown only once; the line has only its digest.
@Command(
    name = "token",
    description = {
      "Makes a bearer token. Prints the token, which is stored nowhere, and the line",
      "with its digest for the file that the daemon's key tokens names. The daemon",
      "reads that file again when it changes."
    },
    mixinStandardHelpOptions = true,
    sortOptions = false,
    footer = {
      "",
      "Example: widerow token shipper --scopes ingest --append tokens",
      "The scope ingest writes, query asks, admin reads status and makes snapshots.",
      "`query`, `tail`, `types`, `ship` and `snapshot` take it from WIDEROW_TOKEN."
    })
public final class TokenCommand implements Callable<Integer> {
  private static final int TOKEN_BYTES = 32;

  @Parameters(paramLabel = "NAME", description = "Name of the owner, one word.")
  private String name = "";

  @Option(
      names = "--scopes",
      paramLabel = "SCOPES",
      description = "What it permits: ${DEFAULT-VALUE}, or some of these.",
      defaultValue = "ingest,query,admin")
  private String scopes = "";

  @Option(
      names = "--append",
      description = "Append the line to this file; a new file gets mode 0600.",
      paramLabel = "FILE")
  private @Nullable Path file;

  @Spec private @Nullable CommandSpec spec;

  /// Runs the command and exits with its exit code.
  public static void main(String[] arguments) {
    System.exit(commandLine().execute(arguments));
  }

  /// The command with its error handling.
  public static CommandLine commandLine() {
    return CommandLines.of(new TokenCommand());
  }

  @Override
  public Integer call() {
    CommandLine command = own();
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String secret = HexFormat.of().formatHex(random);
    try {
      String line = Tokens.line(name, secret, scopes);
      Path target = file;
      if (target != null) {
        append(target, line);
        command.getOut().println(secret);
      } else {
        command.getOut().printf("token: %s%nline:  %s%n", secret, line);
      }
      command.getOut().flush();
      return 0;
    } catch (IllegalArgumentException wrong) {
      command.getErr().println("widerow token: " + wrong.getMessage());
      return ExitCode.USAGE.number;
    } catch (IOException failed) {
      command
          .getErr()
          .println("widerow token: cannot write " + file + ": " + FailureReason.of(failed));
      return ExitCode.INPUT_OUTPUT.number;
    }
  }

  private static void append(Path file, String line) throws IOException {
    try {
      var mode = PosixFilePermissions.fromString("rw-------");
      Path _ = Files.createFile(file, PosixFilePermissions.asFileAttribute(mode));
    } catch (FileAlreadyExistsException there) {
      Tokens _ = Tokens.read(file); // the daemon must be able to read it afterwards
    }
    Path _ =
        Files.writeString(file, line + "\n", StandardCharsets.UTF_8, StandardOpenOption.APPEND);
  }

  private CommandLine own() {
    if (spec == null) {
      throw new IllegalStateException("called without picocli");
    }
    return spec.commandLine();
  }
}
