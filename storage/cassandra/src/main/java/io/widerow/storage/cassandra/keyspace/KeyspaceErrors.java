package io.widerow.storage.cassandra.keyspace;

import com.datastax.oss.driver.api.core.AllNodesFailedException;
import com.datastax.oss.driver.api.core.DriverException;
import com.datastax.oss.driver.api.core.DriverExecutionException;
import com.datastax.oss.driver.api.core.DriverTimeoutException;
import com.datastax.oss.driver.api.core.InvalidKeyspaceException;
import com.datastax.oss.driver.api.core.UnsupportedProtocolVersionException;
import com.datastax.oss.driver.api.core.auth.AuthenticationException;
import com.datastax.oss.driver.api.core.connection.ClosedConnectionException;
import com.datastax.oss.driver.api.core.connection.ConnectionInitException;
import com.datastax.oss.driver.api.core.connection.FrameTooLongException;
import com.datastax.oss.driver.api.core.metadata.Node;
import com.datastax.oss.driver.api.core.servererrors.CASWriteUnknownException;
import com.datastax.oss.driver.api.core.servererrors.FunctionFailureException;
import com.datastax.oss.driver.api.core.servererrors.ProtocolError;
import com.datastax.oss.driver.api.core.servererrors.QueryExecutionException;
import com.datastax.oss.driver.api.core.servererrors.QueryValidationException;
import com.datastax.oss.driver.api.core.servererrors.ReadTimeoutException;
import com.datastax.oss.driver.api.core.servererrors.UnauthorizedException;
import com.datastax.oss.driver.api.core.servererrors.WriteTimeoutException;
import io.widerow.storage.cassandra.keyspace.KeyspaceException.Kind;
import java.io.IOException;
import java.net.UnknownHostException;
import java.nio.file.AccessDeniedException;
import java.nio.file.NoSuchFileException;
import java.security.cert.CertPathBuilderException;
import java.security.cert.CertificateException;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.stream.Collectors;
import javax.net.ssl.SSLException;
import javax.net.ssl.SSLHandshakeException;

/// Maps failures of the driver to failures of a store.
final class KeyspaceErrors {
  private KeyspaceErrors() {}

  /// The failure as a [KeyspaceException], which keeps it as its cause; a bug stays what it is.
  ///
  /// @param what the failed operation, for the message
  static RuntimeException of(String what, Throwable failure) {
    Throwable cause = unwrapped(failure);
    if (cause instanceof KeyspaceException known) {
      return known;
    }
    if (cause instanceof DriverException || isClosed(cause)) {
      return new KeyspaceException(kind(cause), what + ": " + sentence(cause), cause);
    }
    return cause instanceof RuntimeException bug ? bug : new IllegalStateException(what, cause);
  }

  static Throwable unwrapped(Throwable failure) {
    Throwable cause = failure;
    while ((cause instanceof CompletionException
            || cause instanceof ExecutionException
            || cause instanceof DriverExecutionException)
        && cause.getCause() != null) {
      cause = cause.getCause();
    }
    return cause;
  }

  /// The driver says by an unchecked exception of the JDK that its session was closed.
  private static boolean isClosed(Throwable cause) {
    return cause instanceof IllegalStateException
        && Objects.toString(cause.getMessage(), "").contains("closed");
  }

  private static Kind kind(Throwable cause) {
    return switch (cause) {
      case AllNodesFailedException all ->
          errors(all).stream().allMatch(one -> kind(one) == Kind.REFUSED) && !errors(all).isEmpty()
              ? Kind.REFUSED
              : Kind.UNREACHABLE;
      case DriverTimeoutException _,
          WriteTimeoutException _,
          ReadTimeoutException _,
          CASWriteUnknownException _ ->
          Kind.TIMEOUT;
      case QueryValidationException _,
          AuthenticationException _,
          UnsupportedProtocolVersionException _,
          InvalidKeyspaceException _,
          FrameTooLongException _,
          FunctionFailureException _,
          ProtocolError _ ->
          Kind.REFUSED;
      default -> Kind.UNREACHABLE; // unavailable, failed, overloaded, connections
    };
  }

  /// Why a file cannot be read.
  static String unreadable(IOException failure) {
    return switch (failure) {
      case NoSuchFileException _ -> "there is no such file";
      case AccessDeniedException _ -> "this user may not read it";
      default -> String.valueOf(failure.getMessage());
    };
  }

  private static List<Throwable> errors(AllNodesFailedException all) {
    return all.getAllErrors().values().stream().flatMap(List::stream).toList();
  }

  /// Describes a failure, without names of classes.
  static String sentence(Throwable cause) {
    return switch (cause) {
      case AllNodesFailedException all when errors(all).isEmpty() ->
          "no node of the datacenter is connected";
      case AllNodesFailedException all ->
          all.getAllErrors().entrySet().stream()
              .map(KeyspaceErrors::sentence)
              .collect(Collectors.joining("; "));
      case DriverTimeoutException late -> "no response in time (" + late.getMessage() + ")";
      case UnauthorizedException refused -> "no permission: " + refused.getMessage();
      case QueryExecutionException failed ->
          "%s, says %s"
              .formatted(
                  failed.getMessage(),
                  failed.getExecutionInfo() == null
                          || failed.getExecutionInfo().getCoordinator() == null
                      ? "a node"
                      : address(failed.getExecutionInfo().getCoordinator()));
      case ConnectionInitException _, UnknownHostException _, IOException _ -> connecting(cause);
      default -> Objects.toString(cause.getMessage(), cause.getClass().getSimpleName());
    };
  }

  /// The reason why a node cannot be connected to: the innermost failure with a message.
  private static String connecting(Throwable failure) {
    String why = "it takes no connections";
    for (Throwable at = failure; at != null; at = at.getCause()) {
      why =
          switch (at) {
            case UnknownHostException _ -> "there is no such host";
            case CertPathBuilderException _ ->
                "its certificate is not signed by an authority in the file ca";
            case CertificateException refused when refused.getCause() == null ->
                "its certificate is refused: " + refused.getMessage();
            case SSLHandshakeException refused when refused.getCause() == null ->
                "TLS is refused: " + refused.getMessage();
            case SSLHandshakeException _ -> why;
            case SSLException _ ->
                "it answers without TLS; for such a node leave out the parameter ca";
            case ClosedConnectionException _ ->
                "it closed the connection; a node that wants TLS needs the parameter ca";
            default -> why;
          };
    }
    return why;
  }

  /// The address of a node as people write it.
  private static String address(Node node) {
    return node.getEndPoint().toString().replace("/<unresolved>", "").replaceFirst("^/", "");
  }

  private static String sentence(Map.Entry<Node, List<Throwable>> node) {
    return node.getValue().stream()
        .map(KeyspaceErrors::sentence)
        .distinct()
        .collect(Collectors.joining(", ", address(node.getKey()) + ": ", ""));
  }
}
