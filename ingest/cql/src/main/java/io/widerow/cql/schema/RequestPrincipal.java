package io.widerow.cql.schema;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.LongConsumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/// The requester of an execution, as far as a source of rows needs it.
///
/// @param local the address of this server that the client has reached
/// @param client the client's address without its port; empty when it is not known
/// @param memory gets the bytes that the result holds from now on; may refuse them by throwing
/// @param onCancel receives the action that ends the reading when the client disconnects
/// @param trace takes what is done; null when nobody asks for it
public record RequestPrincipal(
    InetSocketAddress local,
    String client,
    LongConsumer memory,
    Consumer<Runnable> onCancel,
    @Nullable Trace trace) {
  /// A client that is not known.
  public RequestPrincipal(
      InetSocketAddress local, LongConsumer memory, Consumer<Runnable> onCancel) {
    this(local, "", memory, onCancel, null);
  }

  /// Records an activity, if the request is traced.
  public void trace(Supplier<String> activity) {
    Trace.add(trace, activity);
  }
}
