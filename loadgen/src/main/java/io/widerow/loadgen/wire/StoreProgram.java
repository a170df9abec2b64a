package io.widerow.loadgen.wire;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceLoader;

/// A store that is read in this process by the program of a checkout. The load generator knows
/// nothing of the store: `./widerow load peers` builds what does. It is loaded with the libraries
/// of the checkout and apart from all others, so that two checkouts and a peer's driver of another
/// version can be in one process.
///
/// - Threads: one.
/// - Memory: owns the store and its classes.
public final class StoreProgram implements PeerReader {
  private final PeerReader reader;
  private final URLClassLoader loader;

  private StoreProgram(PeerReader reader, URLClassLoader loader) {
    this.reader = reader;
    this.loader = loader;
  }

  /// @param home the checkout
  /// @param uri see [StoreAccess#reader]
  /// @throws IllegalArgumentException when the checkout has not built what opens a store
  public static StoreProgram open(Path home, String uri) throws IOException {
    return open(home.resolve("loadgen/target/peers/store"), home.resolve("ingest/cli/target"), uri);
  }

  /// The same, from given directories.
  ///
  /// @param access with the classes of a [StoreAccess]
  /// @param program where the daemon was built: `classes` and `lib`
  public static StoreProgram open(Path access, Path program, String uri) throws IOException {
    Path libraries = program.resolve("lib");
    if (!Files.isDirectory(access) || !Files.isDirectory(libraries)) {
      throw new IllegalArgumentException(
          "the store program of this process is not in %s; build it with ./widerow load peers"
              .formatted(access));
    }
    Thread thread = Thread.currentThread();
    ClassLoader before = thread.getContextClassLoader();
    URLClassLoader loader =
        new URLClassLoader(urls(access, program.resolve("classes"), libraries), new Shared());
    try {
      thread.setContextClassLoader(loader); // there the driver looks for its configuration
      PeerReader reader =
          ServiceLoader.load(StoreAccess.class, loader).findFirst().orElseThrow().reader(uri);
      return new StoreProgram(reader, loader);
    } catch (Throwable failure) {
      loader.close();
      throw failure;
    } finally {
      thread.setContextClassLoader(before);
    }
  }

  private static URL[] urls(Path access, Path classes, Path libraries) throws IOException {
    List<Path> all = new ArrayList<>(List.of(access, classes));
    try (DirectoryStream<Path> jars = Files.newDirectoryStream(libraries, "*.jar")) {
      jars.forEach(all::add);
    }
    URL[] urls = new URL[all.size()];
    for (int i = 0; i < urls.length; i++) {
      urls[i] = all.get(i).toUri().toURL();
    }
    return urls;
  }

  @Override
  public long read(long limit, boolean descending, RowSink sink) throws IOException {
    return reader.read(limit, descending, sink);
  }

  @Override
  public void close() {
    reader.close();
    try {
      loader.close();
    } catch (IOException failure) {
      throw new UncheckedIOException(failure);
    }
  }

  /// The classes of the JDK, and those of the load generator that both sides must have in common.
  private static final class Shared extends ClassLoader {
    private static final String OWN = "io.widerow.loadgen.wire.";

    Shared() {
      super("load generator", getPlatformClassLoader());
    }

    @Override
    protected Class<?> findClass(String name) throws ClassNotFoundException {
      if (name.startsWith(OWN)) {
        return StoreProgram.class.getClassLoader().loadClass(name);
      }
      throw new ClassNotFoundException(name);
    }
  }
}
