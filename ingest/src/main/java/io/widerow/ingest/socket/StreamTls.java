package io.widerow.ingest.socket;

import com.linecorp.armeria.common.TlsKeyPair;
import io.netty.buffer.ByteBufAllocator;
import io.netty.handler.ssl.ClientAuth;
import io.netty.handler.ssl.SslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslHandler;
import io.widerow.ingest.config.SecurityOptions;
import java.security.cert.X509Certificate;
import java.util.List;
import java.util.concurrent.TimeUnit;
import javax.net.ssl.SSLException;

/// TLS 1.2 and 1.3 for the TCP connections of a receiver.
///
/// - Threads: any.
public final class StreamTls {
  private static final String[] VERSIONS = {"TLSv1.3", "TLSv1.2"};

  private final SslContext context;
  private final int handshakeSeconds;

  private StreamTls(SslContext context, int handshakeSeconds) {
    this.context = context;
    this.handshakeSeconds = handshakeSeconds;
  }

  /// @param security names the files with the certificate, and those of the senders' authorities
  /// @param handshakeSeconds after which a handshake that is not done ends the connection
  /// @throws IllegalArgumentException when there is no certificate, or the files do not work
  public static StreamTls of(SecurityOptions security, int handshakeSeconds) {
    TlsKeyPair pair = security.tls();
    if (pair == null) {
      throw new IllegalArgumentException("TLS needs tls-certificate and tls-key");
    }
    List<X509Certificate> authorities = security.clientAuthorities();
    try {
      SslContextBuilder builder =
          SslContextBuilder.forServer(pair.privateKey(), pair.certificateChain())
              .protocols(VERSIONS);
      if (!authorities.isEmpty()) {
        builder
            .trustManager(authorities.toArray(X509Certificate[]::new))
            .clientAuth(ClientAuth.REQUIRE);
      }
      return new StreamTls(builder.build(), handshakeSeconds);
    } catch (SSLException unusable) {
      throw new IllegalArgumentException(
          "tls-certificate, tls-key, tls-client-ca: " + unusable.getMessage(), unusable);
    }
  }

  SslHandler handler(ByteBufAllocator buffers) {
    SslHandler handler = context.newHandler(buffers);
    handler.setHandshakeTimeout(handshakeSeconds, TimeUnit.SECONDS);
    return handler;
  }
}
