package io.widerow.cli;

import io.widerow.query.remote.DaemonAddress;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/// The options that name the daemon, the same for all commands.
public final class DaemonOptions {
  @Option(
      names = "--url",
      paramLabel = "URL",
      description =
          "The daemon: HOST:PORT or a URL. Default: WIDEROW_URL, else 127.0.0.1:7380. Its token:"
              + " WIDEROW_TOKEN.")
  @Nullable String url;

  @Option(
      names = "--cacert",
      paramLabel = "FILE",
      description =
          "Use TLS and trust only the certificates in this PEM file. Default: WIDEROW_CACERT.")
  @Nullable Path cacert;

  /// True when an option selects a daemon.
  public boolean isGiven() {
    return url != null || cacert != null;
  }

  /// Whom to ask.
  public DaemonAddress address(Shell shell) {
    return DaemonAddress.of(url, cacert, shell.environment())
        .withWarnings(warning -> shell.err().println("widerow: " + warning));
  }
}
