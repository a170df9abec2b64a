package io.widerow.ingest;

import io.widerow.faults.PlantLoader;
import java.lang.reflect.Method;
import java.util.Arrays;
import java.util.List;

/// A daemon with a planted bug, as a process of its own: `RULE ARGUMENT...`, with the rule's name
/// and the arguments of [ServeCommand].
final class PlantedServe {
  private PlantedServe() {}

  public static void main(String[] args) throws Exception {
    PlantedFaultsTest.Planted plant = PlantedFaultsTest.Planted.of(args[0]);
    ClassLoader loader = new PlantLoader(PlantHooks.class, List.of(plant.call()));
    Thread.currentThread().setContextClassLoader(loader);
    Class<?> command = Class.forName(ServeCommand.class.getName(), true, loader);
    Method main = command.getMethod("main", String[].class);
    main.invoke(null, (Object) Arrays.copyOfRange(args, 1, args.length));
  }
}
