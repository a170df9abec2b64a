package io.widerow.ingest;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.Certificates;
import io.widerow.ingest.doctor.Finding;
import java.security.GeneralSecurityException;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;

/// Goal: a certificate that clients refuse, or soon will, is a finding, and any other is none.
/// Method: certificates of a year and of six days, looked at from moments of their lives.
class CertificateWatchTest {
  private static final Instant NOW = Instant.parse("2026-06-01T00:00:00Z");

  private static X509Certificate certificate(long daysAgo, long daysLeft)
      throws GeneralSecurityException {
    Instant from = NOW.minus(Duration.ofDays(daysAgo));
    return Certificates.ofThisMachine(from, NOW.plus(Duration.ofDays(daysLeft))).certificate();
  }

  private static void assertFound(Finding.Severity severity, String part, X509Certificate what) {
    Finding finding = CertificateWatch.finding(what, NOW);
    assertNotNull(finding);
    assertEquals(severity, finding.severity());
    assertTrue(finding.sentence().contains(part), finding.sentence());
  }

  @Test
  void theLastTwoWeeksOrTheLastThirdAreReported() throws GeneralSecurityException {
    assertNull(CertificateWatch.finding(certificate(300, 65), NOW));
    assertNull(CertificateWatch.finding(certificate(350, 15), NOW));
    assertFound(Finding.Severity.WARN, "expires at 2026-06-14", certificate(352, 13));
    assertFound(Finding.Severity.BAD, "expired at 2026-05-31", certificate(366, -1));
    assertFound(Finding.Severity.BAD, "is not valid before 2026-06-02", certificate(-1, 300));
    assertNull(CertificateWatch.finding(certificate(3, 3), NOW), "six days of life");
    assertFound(Finding.Severity.WARN, "expires at 2026-06-02", certificate(5, 1));
  }
}
