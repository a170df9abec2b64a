package io.widerow.ingest.config;

import com.linecorp.armeria.common.TlsKeyPair;
import java.nio.file.Path;
import java.security.cert.X509Certificate;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// The files of TLS while the daemon runs: certificate, key, and the authorities of senders.
/// Changed files take effect for new connections within a second or two. Files that cannot be used
/// together are logged once, and the old ones stay in force: the key may come a moment after the
/// certificate.
///
/// - Threads: one calls [#reload], any thread the other methods.
public final class TlsFiles {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final SecurityOptions security;
  private List<FileVersion> seen;
  private volatile Content content;

  /// The contents of the files.
  ///
  /// @param pair certificate and key of the daemon
  /// @param authorities that sign the certificates of senders; empty when these need none
  public record Content(TlsKeyPair pair, List<X509Certificate> authorities) {
    public Content {
      authorities = List.copyOf(authorities);
    }
  }

  private TlsFiles(SecurityOptions security, TlsKeyPair pair) {
    this.security = security;
    this.seen = versions(security);
    this.content = new Content(pair, security.clientAuthorities());
  }

  /// The files that are configured; null without TLS.
  ///
  /// @throws IllegalArgumentException when they cannot be used
  public static @Nullable TlsFiles of(SecurityOptions security) {
    TlsKeyPair pair = security.tls();
    return pair == null ? null : new TlsFiles(security, pair);
  }

  public Content content() {
    return content;
  }

  /// Reads the files again if one has changed.
  ///
  /// @return whether there is other content now
  public boolean reload() {
    List<FileVersion> now = versions(security);
    if (now.isEmpty() || now.equals(seen)) {
      return false; // absent: about to be replaced
    }
    seen = now;
    try {
      TlsKeyPair pair = security.tls();
      if (pair == null) {
        return false;
      }
      content = new Content(pair, security.clientAuthorities());
      LOG.log(Level.INFO, "tls: reloaded {0}", security.tlsCertificate());
      return true;
    } catch (IllegalArgumentException unusable) {
      LOG.log(Level.WARNING, "{0}; the old certificate stays in force", unusable.getMessage());
      return false;
    }
  }

  /// The version of each file; empty when one is absent.
  private static List<FileVersion> versions(SecurityOptions security) {
    List<FileVersion> versions = new ArrayList<>();
    for (Path file :
        Arrays.asList(security.tlsCertificate(), security.tlsKey(), security.tlsClientCa())) {
      FileVersion version = file == null ? null : FileVersion.of(file);
      if (version != null) {
        versions.add(version);
      } else if (file != null) {
        return List.of();
      }
    }
    return versions;
  }
}
