package io.widerow.fuzz;

import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Entry point for jazzer. Nothing here depends on jazzer, so only the profile `fuzz` needs it.
public final class JazzerEntry {
  private static @Nullable FuzzTarget target;

  private JazzerEntry() {}

  /// @param arguments class of the targets, and name of the target
  public static void fuzzerInitialize(String[] arguments) throws Exception {
    target = find(arguments[0], arguments[1]);
    FuzzCheck.run(
        target, target.reader().seeds().get().getFirst()); // loads the classes, which takes a while
  }

  public static void fuzzerTestOneInput(byte[] input) throws Exception {
    FuzzTarget now = target;
    if (now == null) {
      throw new IllegalStateException("jazzer has not called fuzzerInitialize");
    }
    FuzzCheck.run(now, input);
  }

  /// @throws IllegalArgumentException when there is no such target
  static FuzzTarget find(String className, String name) throws ClassNotFoundException {
    for (FuzzTarget each : all(className)) {
      if (each.name().equals(name)) {
        return each;
      }
    }
    throw new IllegalArgumentException("no target " + name + " in " + className);
  }

  static FuzzTarget[] all(String className) throws ClassNotFoundException {
    Object[] constants = Class.forName(className).getEnumConstants();
    return Arrays.copyOf(constants, constants.length, FuzzTarget[].class);
  }
}
