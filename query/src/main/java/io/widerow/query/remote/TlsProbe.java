package io.widerow.query.remote;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.security.cert.CertificateException;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/// Tests whether a server that did not respond in plain text speaks TLS. Sends it nothing but the
/// beginning of a handshake.
final class TlsProbe {
  private static final int MILLIS_MAX = 2_000;

  private TlsProbe() {}

  /// True when there is a server that answers a TLS handshake, whatever its certificate.
  static boolean answers(String host, int port) {
    try (var socket = (SSLSocket) SSLSocketFactory.getDefault().createSocket()) {
      socket.setSoTimeout(MILLIS_MAX);
      socket.connect(new InetSocketAddress(host.replaceAll("[\\[\\]]", ""), port), MILLIS_MAX);
      socket.startHandshake();
      return true;
    } catch (SSLException failure) {
      return isAboutCertificate(failure);
    } catch (IOException | IllegalArgumentException noAnswer) {
      return false;
    }
  }

  private static boolean isAboutCertificate(Throwable failure) {
    for (Throwable cause = failure; cause != null; cause = cause.getCause()) {
      if (cause instanceof CertificateException) {
        return true;
      }
    }
    return false;
  }

  /// The message of the innermost cause.
  static String lastMessage(Throwable failure) {
    Throwable last = failure;
    while (last.getCause() != null) {
      last = last.getCause();
    }
    return String.valueOf(last.getMessage());
  }
}
