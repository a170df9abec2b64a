package io.widerow.storage.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.faults.PlantLoader;
import io.widerow.storage.StorageException;
import io.widerow.storage.StoreConfig;
import io.widerow.storage.disk.RealDisk;
import io.widerow.storage.manifest.StoreFormat;
import io.widerow.storage.repair.StoreRepair;
import io.widerow.storage.repair.StoreVerifier;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.reflect.InvocationTargetException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Enumeration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.api.io.TempDir;

/// Stores when no module of tables is on the class path.
class StoreExtensionTest {
  private static final String REFUSED = "no module of tables is on the class path";

  @TempDir private Path directory;

  @Test
  void aStoreWithoutTablesNeedsNoModule() throws Exception {
    run("plain");
  }

  @Test
  void aStoreWithTablesIsRefusedAndStaysAsItWas() throws Exception {
    run("tables");
  }

  private void run(String method) throws Exception {
    Path store = directory.resolve("store");
    EmbeddedStore.open(StoreConfig.at(store), Runnable::run).close();
    try {
      Class.forName(WithoutModule.class.getName(), true, new NoServices())
          .getMethod(method, String.class)
          .invoke(null, store.toString());
    } catch (InvocationTargetException failure) {
      throw new AssertionError(failure.getCause());
    }
  }

  /// Each way into a store.
  enum Entrance implements Consumer<Path> {
    OPEN {
      @Override
      public void accept(Path store) {
        EmbeddedStore.open(StoreConfig.at(store), Runnable::run).close();
      }
    },
    SPOOL {
      @Override
      public void accept(Path store) {
        EmbeddedStore.openSpool(StoreConfig.at(store), Runnable::run).close();
      }
    },
    READ {
      @Override
      public void accept(Path store) {
        EmbeddedStore.openForReading(store).close();
      }
    },
    SNAPSHOT {
      @Override
      public void accept(Path store) {
        StoreSnapshot.ofStopped(store, store.resolveSibling("snapshot"));
      }
    },
    VERIFY {
      @Override
      public void accept(Path store) {
        assertEquals(List.of(), StoreVerifier.verify(store).damage());
      }
    },
    REPAIR {
      @Override
      public void accept(Path store) {
        assertEquals(List.of(), StoreRepair.repair(store, true).left());
      }
    }
  }

  /// What runs where no module of tables is.
  public static final class WithoutModule {
    private WithoutModule() {}

    /// Every entrance takes a store without tables, and refuses tables.
    public static void plain(String path) {
      Path store = Path.of(path);
      for (Entrance each : Entrance.values()) {
        each.accept(store);
      }
      try (EmbeddedStore open = EmbeddedStore.open(StoreConfig.at(store), Runnable::run)) {
        assertRefused(() -> open.extension(StoreExtension.class));
        open.maintain();
        open.sealAll();
        var _ = open.statistics();
      }
    }

    /// No entrance takes a store with tables, and none changes it.
    public static void tables(String path) {
      Path store = Path.of(path);
      StoreFormat.addTables(new RealDisk(), store);
      Path parent = Objects.requireNonNull(store.getParent());
      Map<String, Long> before = files(parent);
      for (Entrance each : Entrance.values()) {
        assertRefused(() -> each.accept(store));
        assertEquals(before, files(parent), each.name());
      }
    }

    private static void assertRefused(Executable call) {
      String message =
          String.valueOf(assertThrows(StorageException.Incompatible.class, call).getMessage());
      assertTrue(message.contains(REFUSED), message);
    }

    private static Map<String, Long> files(Path directory) {
      Map<String, Long> sizes = new TreeMap<>();
      try (Stream<Path> paths = Files.walk(directory)) {
        paths
            .filter(Files::isRegularFile)
            .forEach(file -> sizes.put(file.toString(), file.toFile().length()));
      } catch (IOException failure) {
        throw new UncheckedIOException(failure);
      }
      return sizes;
    }
  }

  /// Hides the services on the class path.
  private static final class NoServices extends PlantLoader {
    NoServices() {
      super(StoreExtensionTest.class, List.of());
    }

    @Override
    public Enumeration<URL> getResources(String name) {
      return Collections.emptyEnumeration();
    }
  }
}
