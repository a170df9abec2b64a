package io.widerow.ingest;

import java.io.IOException;
import java.io.Serial;
import java.net.InetSocketAddress;
import java.util.concurrent.CompletionException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The system does not let the daemon listen on an address: another program uses it, it is not an
/// address of this machine, or the daemon lacks the privilege.
public final class ListenException extends RuntimeException {
  @Serial private static final long serialVersionUID = 1;

  private ListenException(String message, @Nullable IOException reason) {
    super(message, reason);
  }

  /// Starts to listen.
  ///
  /// @param what name of the protocol for the message, such as `http`
  /// @throws ListenException with the address and the system's reason
  static <T> T listen(String what, InetSocketAddress address, Supplier<T> start) {
    try {
      return start.get();
    } catch (Exception failed) { // Netty throws undeclared checked exceptions
      Throwable reason = failed instanceof CompletionException ? failed.getCause() : failed;
      if (reason instanceof IOException refused) {
        throw new ListenException(message(what, address, refused.getMessage()), refused);
      }
      throw failed;
    }
  }

  /// @param why the reason, and a remedy
  static ListenException refused(String what, InetSocketAddress address, String why) {
    return new ListenException(message(what, address, why), null);
  }

  private static String message(String what, InetSocketAddress address, @Nullable String why) {
    return "%s cannot listen on %s:%d: %s"
        .formatted(what, address.getHostString(), address.getPort(), why);
  }
}
