package io.widerow.storage;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyFactory;
import java.security.KeyStore;
import java.security.PrivateKey;
import java.security.cert.Certificate;
import java.security.cert.CertificateException;
import java.security.cert.CertificateFactory;
import java.security.spec.InvalidKeySpecException;
import java.security.spec.PKCS8EncodedKeySpec;
import java.util.Base64;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.KeyManager;
import javax.net.ssl.KeyManagerFactory;
import javax.net.ssl.SSLContext;
import javax.net.ssl.TrustManager;
import javax.net.ssl.TrustManagerFactory;
import org.jspecify.annotations.Nullable;

/// Reads keys and certificates of a client for TLS from PEM files. A fault in a file is an
/// [IllegalArgumentException] with its name.
public final class PemFiles {
  private static final Pattern KEY =
      Pattern.compile("-----BEGIN PRIVATE KEY-----([A-Za-z0-9+/=\\s]+)-----END PRIVATE KEY-----");
  private static final List<String> ALGORITHMS = List.of("RSA", "EC", "EdDSA");
  private static final char[] NO_PASSWORD = new char[0];

  private PemFiles() {}

  /// @param ca the only certificates that vouch for servers; null for those of the Java runtime
  /// @param certificate chain of this client, with its `key`; null for none
  public static SSLContext context(
      @Nullable Path ca, @Nullable Path certificate, @Nullable Path key) {
    try {
      KeyManager[] own =
          certificate == null || key == null ? new KeyManager[0] : keys(certificate, key);
      SSLContext context = SSLContext.getInstance("TLS");
      context.init(own, ca == null ? null : trust(ca), null);
      return context;
    } catch (GeneralSecurityException | IOException failure) {
      throw new IllegalArgumentException(
          "TLS with %s: %s".formatted(ca == null ? certificate : ca, failure.getMessage()),
          failure);
    }
  }

  /// @param ca the only certificates that vouch for servers
  public static TrustManager[] trusted(Path ca) {
    try {
      return trust(ca);
    } catch (GeneralSecurityException | IOException failure) {
      throw new IllegalArgumentException(
          "TLS with %s: %s".formatted(ca, failure.getMessage()), failure);
    }
  }

  private static TrustManager[] trust(Path ca) throws GeneralSecurityException, IOException {
    KeyStore trusted = KeyStore.getInstance("PKCS12");
    trusted.load(null, NO_PASSWORD);
    int at = 0;
    for (Certificate one : certificates(ca)) {
      trusted.setCertificateEntry("ca-" + at++, one);
    }
    var trust = TrustManagerFactory.getInstance(TrustManagerFactory.getDefaultAlgorithm());
    trust.init(trusted);
    return trust.getTrustManagers();
  }

  private static KeyManager[] keys(Path certificate, Path key)
      throws GeneralSecurityException, IOException {
    List<Certificate> chain = certificates(certificate);
    PrivateKey secret = privateKey(key);
    KeyStore own = KeyStore.getInstance("PKCS12");
    own.load(null, NO_PASSWORD);
    if (!secret.getAlgorithm().equals(chain.getFirst().getPublicKey().getAlgorithm())) {
      throw new IllegalArgumentException(
          "%s is no key (%s) of the certificate in %s (%s)"
              .formatted(
                  key,
                  secret.getAlgorithm(),
                  certificate,
                  chain.getFirst().getPublicKey().getAlgorithm()));
    }
    own.setKeyEntry("own", secret, NO_PASSWORD, chain.toArray(new Certificate[0]));
    var keys = KeyManagerFactory.getInstance(KeyManagerFactory.getDefaultAlgorithm());
    keys.init(own, NO_PASSWORD);
    return keys.getKeyManagers();
  }

  private static byte[] read(Path file, String what) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException unreadable) {
      throw new IllegalArgumentException(
          "cannot read the %s file %s: %s".formatted(what, file, FailureReason.of(unreadable)),
          unreadable);
    }
  }

  private static List<Certificate> certificates(Path file) {
    try (InputStream in = new ByteArrayInputStream(read(file, "certificate"))) {
      List<Certificate> all =
          List.copyOf(CertificateFactory.getInstance("X.509").generateCertificates(in));
      if (all.isEmpty()) {
        throw new IllegalArgumentException("there is no certificate (PEM) in " + file);
      }
      return all;
    } catch (CertificateException | IOException refused) {
      throw new IllegalArgumentException(
          "%s has no certificates (PEM): %s".formatted(file, refused.getMessage()), refused);
    }
  }

  private static PrivateKey privateKey(Path file) throws GeneralSecurityException {
    Matcher key = KEY.matcher(new String(read(file, "key"), StandardCharsets.ISO_8859_1));
    if (!key.find()) {
      throw new IllegalArgumentException(
          "there is no unencrypted PKCS#8 key (PEM, 'BEGIN PRIVATE KEY') in %s; make one with:"
                  .formatted(file)
              + " openssl pkcs8 -topk8 -nocrypt -in KEY -out NEW");
    }
    byte[] der = Base64.getMimeDecoder().decode(key.group(1));
    InvalidKeySpecException refused = null;
    for (String algorithm : ALGORITHMS) {
      try {
        return KeyFactory.getInstance(algorithm).generatePrivate(new PKCS8EncodedKeySpec(der));
      } catch (InvalidKeySpecException other) {
        refused = other; // of another algorithm
      }
    }
    throw new IllegalArgumentException(
        "the key in %s is none of %s".formatted(file, String.join(", ", ALGORITHMS)), refused);
  }
}
