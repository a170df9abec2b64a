package io.widerow.ingest;

import io.widerow.faults.PlantLoader;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/// A daemon with a planted bug, as a process of its own: `RULE ARGUMENT...`, with the rule's name
/// and the arguments of [ServeCommand]. It ends before it is ready when the planted bug is not in
/// the product's byte code: a daemon that is not broken would be killed in vain.
final class PlantedServe {
  private PlantedServe() {}

  public static void main(String[] args) throws Exception {
    PlantedFaultsTest.Planted plant = PlantedFaultsTest.Planted.of(args[0]);
    PlantLoader loader = loaderOf(plant);
    Thread.currentThread().setContextClassLoader(loader);
    Class<?> command = Class.forName(TunedServe.class.getName(), true, loader);
    Method main = command.getMethod("main", String[].class);
    main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
  }

  /// @throws IllegalStateException when the bug cannot be planted
  static PlantLoader loaderOf(PlantedFaultsTest.Planted plant) throws ClassNotFoundException {
    PlantLoader loader = new PlantLoader(PlantHooks.class, List.of(plant.call()));
    Class<?> _ = Class.forName(plant.call().in(), false, loader);
    if (loader.done(plant.call()) == 0) {
      throw new IllegalStateException("this call no longer exists: " + plant.call());
    }
    return loader;
  }
}
