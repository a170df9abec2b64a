package io.widerow.query.cli;

import io.widerow.query.remote.DaemonAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options, the same for all commands, that say which daemon is asked.
public final class DaemonOptions {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The daemon to ask: HOST:PORT or a URL. Default: WIDEROW_URL, else 127.0.0.1:7380. Its"
              + " token: WIDEROW_TOKEN.")
  @Nullable String url;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description =
          "Ask by TLS and trust only the certificates in this PEM file. Default: WIDEROW_CACERT.")
  @Nullable Path cacert;

  /// True when an option says that a daemon is to be asked.
  public boolean isGiven() {
    return url != null || cacert != null;
  }

  /// Whom to ask.
  public DaemonAddress address(Shell shell) {
    return DaemonAddress.of(url, cacert, shell.environment())
        .withWarnings(warning -> shell.err().println("widerow: " + warning));
  }
}
