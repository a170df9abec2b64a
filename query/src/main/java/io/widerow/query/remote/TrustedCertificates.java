package io.widerow.query.remote;

import io.widerow.query.QueryException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.util.Base64;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManagerFactory;

/// Certificates in a PEM file, as the only ones that a client trusts: a daemon's own, or that of
/// the authority that signed it.
public final class TrustedCertificates {
  private static final Pattern BLOCK =
      Pattern.compile("-----BEGIN ([A-Z0-9 ]+)-----([^-]*)-----END \\1-----");

  private TrustedCertificates() {}

  /// @throws QueryException.Refused when the file cannot be read, has no certificate, or has an
  ///   invalid one; the message names the file and the reason
  public static SSLContext of(Path file) {
    try {
      KeyStore trusted = KeyStore.getInstance(KeyStore.getDefaultType());
      trusted.load(null, null);
      read(file, trusted);
      TrustManagerFactory managers =
          TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
      managers.init(trusted);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(null, managers.getTrustManagers(), null);
      return context;
    } catch (NoSuchFileException absent) {
      throw refused(file, "there is no such file");
    } catch (IOException unreadable) {
      throw refused(file, "cannot be read: " + unreadable);
    } catch (GeneralSecurityException unusable) {
      throw refused(file, "cannot be used: " + unusable.getMessage());
    }
  }

  private static void read(Path file, KeyStore trusted)
      throws IOException, GeneralSecurityException {
    String text = Files.readString(file, StandardCharsets.ISO_8859_1);
    CertificateFactory factory = CertificateFactory.getInstance("X.509");
    Matcher block = BLOCK.matcher(text);
    String other = null;
    int number = 0;
    while (block.find()) {
      if (block.group(1).endsWith("CERTIFICATE")) {
        number++;
        trusted.setCertificateEntry("" + number, certificate(file, number, block, factory));
      } else {
        other = block.group(1);
      }
    }
    if (number == 0) {
      throw refused(
          file,
          other == null
              ? "no certificate in PEM form is in it (-----BEGIN CERTIFICATE-----)"
              : "no certificate is in it, but a " + other + ": give the daemon's tls-certificate");
    }
  }

  private static Certificate certificate(
      Path file, int number, Matcher block, CertificateFactory factory) {
    try {
      byte[] der = Base64.getMimeDecoder().decode(block.group(2));
      return factory.generateCertificate(new ByteArrayInputStream(der));
    } catch (CertificateException | IllegalArgumentException damaged) {
      throw refused(
          file, "its certificate number %d is damaged: %s".formatted(number, damaged.getMessage()));
    }
  }

  private static QueryException.Refused refused(Path file, String why) {
    return new QueryException.Refused("cacert", file + ": " + why);
  }
}
