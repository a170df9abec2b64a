package io.widerow.cli.ship;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.PathMatcher;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/// Finds the files that a name or a glob stands for: `*`, `?`, `[..]` and `{..}` within a name,
/// `**` for any number of directories. Symbolic links are followed, except those to directories
/// below `**`. A name that begins with a point matches only a pattern that begins with one.
///
/// - Threads: one.
final class FilePatterns {
  private static final String ANY_DEPTH = "**";
  private static final int DEPTH_MAX = 32;

  private final List<PathMatcher> excluded = new ArrayList<>();

  /// @param excluded globs of names of files that are never taken
  /// @throws IllegalArgumentException when one is no glob
  FilePatterns(List<String> excluded) {
    excluded.forEach(glob -> this.excluded.add(matcher(glob)));
  }

  private static PathMatcher matcher(String glob) {
    return FileSystems.getDefault().getPathMatcher("glob:" + glob);
  }

  /// True when it is more than a name.
  static boolean isGlob(String given) {
    return given.matches(".*[*?\\[{].*") && !Files.exists(Path.of(given));
  }

  /// The files that there are now, sorted by name.
  ///
  /// @throws IllegalArgumentException when it is no glob
  /// @throws IOException when a directory cannot be read
  List<Path> find(String given) throws IOException {
    TreeSet<Path> found = new TreeSet<>();
    if (!isGlob(given)) {
      add(Path.of(given), found);
    } else {
      Path whole = Path.of(given);
      Path root = whole.isAbsolute() ? Path.of("/") : Path.of("");
      List<String> names = new ArrayList<>();
      whole.forEach(name -> names.add(name.toString()));
      find(root, names, found, 0);
    }
    return new ArrayList<>(found);
  }

  private void add(Path path, Set<Path> found) {
    Path name = path.getFileName();
    if (name != null
        && Files.isRegularFile(path)
        && excluded.stream().noneMatch(glob -> glob.matches(name))) {
      found.add(path);
    }
  }

  private void find(Path in, List<String> names, Set<Path> found, int depth) throws IOException {
    String name = names.getFirst();
    List<String> rest = names.subList(1, names.size());
    if (name.equals(ANY_DEPTH)) {
      find(in, rest.isEmpty() ? List.of("*") : rest, found, depth);
      for (Path below : children(in)) {
        if (depth < DEPTH_MAX && Files.isDirectory(below) && !Files.isSymbolicLink(below)) {
          find(below, names, found, depth + 1);
        }
      }
    } else if (name.matches(".*[*?\\[{].*")) {
      PathMatcher glob = matcher(name);
      for (Path below : children(in)) {
        Path last = below.getFileName();
        boolean hidden = last != null && last.toString().startsWith(".") && !name.startsWith(".");
        if (last != null && !hidden && glob.matches(last)) {
          step(below, rest, found, depth);
        }
      }
    } else {
      step(in.resolve(name), rest, found, depth);
    }
  }

  private void step(Path path, List<String> rest, Set<Path> found, int depth) throws IOException {
    if (rest.isEmpty()) {
      add(path, found);
    } else if (Files.isDirectory(path)) {
      find(path, rest, found, depth);
    }
  }

  /// The files and directories in a directory; none when it has just gone.
  static List<Path> children(Path directory) throws IOException {
    List<Path> all = new ArrayList<>();
    try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory)) {
      stream.forEach(all::add);
    } catch (NoSuchFileException | NotDirectoryException gone) {
      return List.of();
    } catch (DirectoryIteratorException failed) {
      throw failed.getCause();
    } catch (AccessDeniedException denied) {
      throw new IOException(directory + ": may not be read", denied);
    }
    return all;
  }
}
