package io.widerow.cql.schema;

import java.net.InetSocketAddress;
import java.util.function.Consumer;
import java.util.function.LongConsumer;

/// Who asks: what a source of rows may need to know of an execution.
///
/// @param local the address of this server that the client has reached
/// @param client the client's address without its port; empty when it is not known
/// @param memory gets the bytes that the answer holds from now on; may refuse them by throwing
/// @param onCancel gets what ends the reading, for when the client leaves
public record Asker(
    InetSocketAddress local, String client, LongConsumer memory, Consumer<Runnable> onCancel) {
  /// A client that is not known.
  public Asker(InetSocketAddress local, LongConsumer memory, Consumer<Runnable> onCancel) {
    this(local, "", memory, onCancel);
  }
}
