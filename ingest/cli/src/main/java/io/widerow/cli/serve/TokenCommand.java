package io.widerow.cli.serve;

import io.widerow.cli.ExitCode;
import io.widerow.cli.Shell;
import io.widerow.ingest.config.Tokens;
import io.widerow.query.output.OutputBuffer;
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
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/// `widerow token`: makes a token, and its line for the daemon's file of tokens. The token is 256
/// random bits and is shown only once; the line has only its digest.
@Command(
    description = {
      "Prints a bearer token, which is stored nowhere, and the line with its digest for the file of"
          + " the daemon's key tokens. The daemon reads that file again when it changes."
    },
    footer = {
      "Example:",
      "  widerow token shipper --scopes ingest --append tokens",
      "The scope ingest permits writing, query reading, admin administration. Clients take the"
          + " token from WIDEROW_TOKEN."
    })
public final class TokenCommand implements Callable<Integer> {
  private static final int TOKEN_BYTES = 32;

  @Parameters(paramLabel = "NAME", description = "Name of the owner, one word.")
  private String name = "";

  @Option(
      names = "--scopes",
      paramLabel = "SCOPES",
      description = "Permissions: ${DEFAULT-VALUE}, or some of these.",
      defaultValue = "ingest,query,admin")
  private String scopes = "";

  @Option(
      names = "--append",
      description = "Append the line to this file; a new file gets mode 0600.",
      paramLabel = "FILE")
  private @Nullable Path file;

  private final Shell shell;

  public TokenCommand(Shell shell) {
    this.shell = shell;
  }

  @Override
  public Integer call() {
    byte[] random = new byte[TOKEN_BYTES];
    new SecureRandom().nextBytes(random);
    String secret = HexFormat.of().formatHex(random);
    try {
      String line = Tokens.line(name, secret, scopes);
      Path target = file;
      if (target != null) {
        append(target, line);
        print(secret + "\n");
      } else {
        print("token: %s\nline:  %s\n".formatted(secret, line));
      }
      return 0;
    } catch (IllegalArgumentException wrong) {
      shell.err().println("widerow token: " + wrong.getMessage());
      return ExitCode.USAGE.number;
    } catch (IOException failed) {
      shell.err().println("widerow token: cannot write " + file + ": " + FailureReason.of(failed));
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

  private void print(String text) {
    OutputBuffer out = new OutputBuffer(1 << 8);
    out.put(text);
    shell.write(out);
  }
}
