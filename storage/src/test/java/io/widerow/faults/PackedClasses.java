package io.widerow.faults;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/// Class path of this process with its directories packed into jars. The JVM archives classes from
/// jars only, and starting from an archive makes a test of many processes fast.
public final class PackedClasses {
  private PackedClasses() {}

  /// @param directory for the jars
  public static String path(Path directory) throws IOException {
    List<Path> entries = entries();
    for (int i = 0; i < entries.size(); i++) {
      if (Files.isDirectory(entries.get(i))) {
        pack(entries.get(i), jar(directory, i));
      }
    }
    return packed(directory);
  }

  /// The class path with jars that [#path] has made.
  public static String packed(Path directory) {
    List<Path> entries = entries();
    return IntStream.range(0, entries.size())
        .mapToObj(i -> Files.isDirectory(entries.get(i)) ? jar(directory, i) : entries.get(i))
        .map(Path::toString)
        .collect(Collectors.joining(File.pathSeparator));
  }

  /// A text that changes whenever a file of the class path is another one.
  public static String state() throws IOException {
    var state = new StringBuilder();
    for (Path entry : entries()) {
      state.append(entry);
      long sum = 0;
      try (Stream<Path> files = Files.exists(entry) ? Files.walk(entry) : Stream.empty()) {
        for (Path file : files.filter(Files::isRegularFile).toList()) {
          long modified = Files.getLastModifiedTime(file).to(TimeUnit.MICROSECONDS);
          sum += (file.hashCode() * 31L + Files.size(file)) * 0x9E3779B97F4A7C15L ^ modified;
        }
      }
      state.append(' ').append(sum).append('\n');
    }
    return state.toString();
  }

  private static List<Path> entries() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator, -1))
        .map(Path::of)
        .toList();
  }

  private static Path jar(Path directory, int number) {
    return directory.resolve(number + ".jar");
  }

  private static void pack(Path classes, Path jar) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(jar);
        var out = new JarOutputStream(bytes);
        Stream<Path> files = Files.walk(classes)) {
      for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
        out.putNextEntry(new JarEntry(classes.relativize(file).toString()));
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }
}
