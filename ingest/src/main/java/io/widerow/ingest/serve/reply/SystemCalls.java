package io.widerow.ingest.serve.reply;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.invoke.MethodHandle;
import org.jspecify.annotations.Nullable;

/// Functions of the C library.
final class SystemCalls {
  private SystemCalls() {}

  /// A function, by its name; null where the system does not have it.
  static @Nullable MethodHandle find(
      String name, FunctionDescriptor descriptor, Linker.Option... options) {
    Linker linker = Linker.nativeLinker();
    return linker
        .defaultLookup()
        .find(name)
        .map(address -> linker.downcallHandle(address, descriptor, options))
        .orElse(null);
  }
}
