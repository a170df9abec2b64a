package io.widerow.cli.serve;

import java.lang.reflect.Constructor;
import java.lang.reflect.Proxy;

/// The signal SIGHUP, at which a daemon reads its rule files again. The JDK has no public class for
/// signals; `sun.misc` is exported by the module jdk.unsupported, but javac warns of its use.
final class ReloadSignal {
  private ReloadSignal() {}

  /// Runs something at each SIGHUP, instead of ending the process.
  ///
  /// @throws IllegalStateException when this JVM has no such class
  static void install(Runnable reload) {
    try {
      Class<?> signal = Class.forName("sun.misc.Signal");
      Class<?> handler = Class.forName("sun.misc.SignalHandler");
      Constructor<?> named = signal.getConstructor(String.class);
      Object on =
          Proxy.newProxyInstance(
              handler.getClassLoader(),
              new Class<?>[] {handler},
              (self, method, arguments) ->
                  switch (method.getName()) {
                    case "equals" ->
                        System.identityHashCode(self) == System.identityHashCode(arguments[0]);
                    case "hashCode" -> System.identityHashCode(self);
                    case "toString" -> "reload";
                    default -> {
                      reload.run();
                      yield null;
                    }
                  });
      var _ =
          signal.getMethod("handle", signal, handler).invoke(null, named.newInstance("HUP"), on);
    } catch (ReflectiveOperationException absent) {
      throw new IllegalStateException("no signals: " + absent, absent);
    }
  }
}
