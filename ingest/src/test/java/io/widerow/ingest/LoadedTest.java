package io.widerow.ingest;

import io.widerow.faults.PlantLoader;
import java.io.IOException;
import java.lang.annotation.Annotation;
import java.lang.reflect.Constructor;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.io.TempDir;

/// Runs a test of classes that a [PlantLoader] loads, as JUnit would: a new object, its directory,
/// the test, and the methods that run after each test.
///
/// - Threads: the test has its own thread, which is abandoned when it hangs.
final class LoadedTest {
  private static final Duration HANGS = Duration.ofSeconds(25); // tests time out earlier

  private final PlantLoader loader;
  private final Path directory;

  LoadedTest(PlantLoader loader, Path directory) {
    this.loader = loader;
    this.directory = directory;
  }

  /// What the test threw; null when it passed.
  @Nullable Throwable failure(String className, String test, List<Object> arguments) {
    AtomicReference<@Nullable Throwable> thrown = new AtomicReference<>();
    Thread thread =
        Thread.ofPlatform()
            .name("planted")
            .daemon()
            .unstarted(() -> thrown.set(run(className, test, arguments)));
    thread.setContextClassLoader(loader);
    thread.start();
    try {
      if (!thread.join(HANGS)) {
        return new AssertionError(test + " hangs");
      }
    } catch (InterruptedException interrupted) {
      throw new IllegalStateException(interrupted);
    }
    return thrown.get();
  }

  @SuppressWarnings("CatchThrowable")
  private @Nullable Throwable run(String className, String test, List<Object> arguments) {
    try {
      Class<?> in = Class.forName(className, true, loader);
      Constructor<?> constructor = in.getDeclaredConstructor();
      constructor.setAccessible(true);
      Object object = constructor.newInstance();
      giveDirectory(object);
      Throwable failure = call(object, named(in, test), arguments);
      for (Method each : in.getDeclaredMethods()) {
        if (has(each.getAnnotations(), AfterEach.class)) {
          Throwable after = call(object, each, List.of());
          failure = failure == null ? after : failure;
        }
      }
      return failure;
    } catch (Throwable failure) {
      return failure;
    }
  }

  private static Method named(Class<?> in, String test) {
    return Arrays.stream(in.getDeclaredMethods())
        .filter(method -> method.getName().equals(test))
        .findFirst()
        .orElseThrow(() -> new IllegalArgumentException("no test " + test));
  }

  private void giveDirectory(Object object) throws IllegalAccessException, IOException {
    for (Field field : object.getClass().getDeclaredFields()) {
      if (has(field.getAnnotations(), TempDir.class)) {
        field.setAccessible(true);
        field.set(object, Files.createTempDirectory(directory, "planted"));
      }
    }
  }

  private static boolean has(Annotation[] annotations, Class<? extends Annotation> kind) {
    return Arrays.stream(annotations).anyMatch(kind::isInstance);
  }

  private static @Nullable Throwable call(Object object, Method method, List<Object> arguments)
      throws IllegalAccessException {
    method.setAccessible(true);
    try {
      Object _ = method.invoke(object, arguments.toArray());
      return null;
    } catch (InvocationTargetException failed) {
      return failed.getCause();
    }
  }
}
