package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;
import io.widerow.storage.cold.ColdPlace;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.maintenance.ColdControl;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/// A place for cold segments in memory, which answers at once, or not at all.
final class MemoryPlace implements ColdPlace {
  private final Map<String, byte[]> objects = new ConcurrentHashMap<>();
  private final ColdControl.Choice choice;
  private boolean away;
  private int reads;
  private int moved;

  /// @param after age at which segments move; all do, of whatever size
  MemoryPlace(Duration after) {
    choice =
        new ColdControl.Choice() {
          @Override
          public Duration after(String type) {
            return after;
          }

          @Override
          public long bytesMin() {
            return 0;
          }
        };
  }

  void away(boolean now) {
    away = now;
  }

  /// Reads so far.
  int reads() {
    return reads;
  }

  /// Segments that were moved so far.
  int moved() {
    return moved;
  }

  /// Moves what is due, or only some of it.
  void move(EmbeddedStore store, SplittableRandom random, int oneIn) {
    store.cold().readFrom(this);
    try (ColdControl.Held held = store.cold().next(choice, _ -> random.nextInt(oneIn) > 0)) {
      if (held == null) {
        return;
      }
      held.verify();
      byte[] bytes = store.cold().disk().readAll(held.path());
      String sha256 = HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(bytes));
      objects.put(held.object(sha256), bytes);
      moved += held.moved(url(), sha256) ? 1 : 0;
    } catch (InterruptedException | NoSuchAlgorithmException impossible) {
      throw new AssertionError(impossible);
    }
  }

  void moveAll(EmbeddedStore store) {
    for (int before = -1; before < moved; ) {
      before = moved;
      move(store, new SplittableRandom(0), 1);
    }
  }

  /// Fetches all back.
  void recall(EmbeddedStore store) {
    for (ColdControl.Cold each : store.cold().all()) {
      try (ColdControl.Held held = store.cold().hold(each)) {
        if (held != null) {
          Disk disk = store.cold().disk();
          disk.replace(held.temporary(), held.temporary().resolveSibling("fetched.tmp"), of(each));
          boolean _ = held.recalled();
        }
      } catch (InterruptedException impossible) {
        throw new AssertionError(impossible);
      }
    }
  }

  /// Writes the objects to a directory.
  void save(Path directory) throws IOException {
    for (Map.Entry<String, byte[]> each : objects.entrySet()) {
      Path file = directory.resolve(each.getKey());
      Files.createDirectories(Objects.requireNonNull(file.getParent()));
      Files.write(file, each.getValue());
    }
  }

  /// Reads them again.
  void load(Path directory) throws IOException {
    try (Stream<Path> files = Files.walk(directory)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        objects.put(directory.relativize(file).toString(), Files.readAllBytes(file));
      }
    }
  }

  private byte[] of(ColdControl.Cold cold) {
    return objects.getOrDefault(cold.object(), new byte[0]);
  }

  @Override
  public byte @Nullable [] read(String object, long offset, int bytes) {
    reads++;
    if (away) {
      throw new StorageException.Unreachable(url() + ": no answer", null);
    }
    byte[] all = objects.get(object);
    if (all == null) {
      return null;
    }
    int count = (int) Math.max(0, Math.min(bytes, all.length - offset));
    byte[] part = new byte[count];
    System.arraycopy(all, (int) offset, part, 0, count);
    return part;
  }

  @Override
  public String url() {
    return "memory:place";
  }
}
