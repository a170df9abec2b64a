package io.widerow.ingest;

import io.widerow.ingest.config.TlsFiles;
import io.widerow.ingest.doctor.Finding;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Supplier;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.jspecify.annotations.Nullable;

/// Reports the certificate that expires first, when it has expired or soon will: as a finding, and
/// in the log at the start, when the files change, and once a day. A certificate counts as ending
/// soon in its last 14 days, one of a short life in its last third.
///
/// - Threads: one calls [#look], any thread the other methods.
final class CertificateWatch {
  private static final Logger LOG = Logger.getLogger("widerow");
  private static final Duration SOON = Duration.ofDays(14);
  private static final Duration REPEAT = Duration.ofDays(1);

  private final TlsFiles files;
  private final Supplier<Instant> clock;
  private Instant loggedAt = Instant.MIN;
  private TlsFiles.@Nullable Content logged;

  CertificateWatch(TlsFiles files, Supplier<Instant> clock) {
    this.files = files;
    this.clock = clock;
  }

  /// The certificate that ends first, of the daemon's chain and the authorities of senders.
  private X509Certificate first() {
    List<X509Certificate> all = new ArrayList<>(files.content().pair().certificateChain());
    all.addAll(files.content().authorities());
    return all.stream().min(Comparator.comparing(X509Certificate::getNotAfter)).orElseThrow();
  }

  /// When the first certificate expires, in seconds since the Unix epoch.
  double expirySeconds() {
    return first().getNotAfter().toInstant().getEpochSecond();
  }

  /// The finding of the certificate that ends first; none while it has time.
  List<Finding> findings() {
    Finding finding = finding(first(), clock.get());
    return finding == null ? List.of() : List.of(finding);
  }

  static @Nullable Finding finding(X509Certificate certificate, Instant now) {
    Instant from = certificate.getNotBefore().toInstant();
    Instant until = certificate.getNotAfter().toInstant();
    Duration third = Duration.between(from, until).dividedBy(3);
    Duration soon = third.compareTo(SOON) < 0 ? third : SOON;
    Duration left = Duration.between(now, until);
    boolean future = now.isBefore(from);
    if (left.compareTo(soon) > 0 && !future) {
      return null;
    }
    boolean bad = left.isNegative() || future;
    String name = certificate.getSubjectX500Principal().getName();
    String when =
        future
            ? "is not valid before " + from
            : "%s at %s".formatted(left.isNegative() ? "expired" : "expires", until);
    return new Finding(
        "certificate",
        bad ? Finding.Severity.BAD : Finding.Severity.WARN,
        name,
        (double) left.toSeconds(),
        (double) soon.toSeconds(),
        "the certificate of %s %s%s"
            .formatted(name, when, bad ? ": TLS connections with it are refused" : ""),
        "replace it in tls-certificate (with tls-key) or tls-client-ca; changed files take effect"
            + " without a restart");
  }

  /// Logs the finding when it is new or a day old. Called about once a second.
  void look() {
    Instant now = clock.get();
    TlsFiles.Content current = files.content();
    if (current.equals(logged) && Duration.between(loggedAt, now).compareTo(REPEAT) < 0) {
      return;
    }
    logged = current;
    loggedAt = now;
    for (Finding finding : findings()) {
      LOG.log(Level.WARNING, "tls: {0}; {1}", new Object[] {finding.sentence(), finding.act()});
    }
  }
}
