package io.widerow.faults;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipInputStream;
import java.util.zip.ZipOutputStream;

/// Directories of stores that are kept as `golden/NAME.zip`, so that a store written once opens in
/// every later version.
public final class GoldenZip {
  private GoldenZip() {}

  /// Makes `NAME` in a directory.
  public static void unpack(String name, Path directory) throws IOException {
    try (InputStream bytes =
            Objects.requireNonNull(
                GoldenZip.class.getResourceAsStream("/golden/" + name + ".zip"));
        var in = new ZipInputStream(bytes)) {
      for (ZipEntry entry = in.getNextEntry(); entry != null; entry = in.getNextEntry()) {
        Path file = directory.resolve(name).resolve(entry.getName());
        Files.createDirectories(Objects.requireNonNull(file.getParent()));
        Files.copy(in, file);
      }
    }
  }

  /// Packs a directory, without its ballast, which holds no data.
  public static void pack(Path directory, Path zip) throws IOException {
    try (OutputStream bytes = Files.newOutputStream(zip);
        var out = new ZipOutputStream(bytes);
        Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(GoldenZip::isKept).sorted().toList()) {
        var entry = new ZipEntry(directory.relativize(file).toString());
        entry.setTime(0);
        out.putNextEntry(entry);
        Files.copy(file, out);
        out.closeEntry();
      }
    }
  }

  private static boolean isKept(Path file) {
    return Files.isRegularFile(file) && !file.endsWith("ballast");
  }
}
