package io.widerow.storage.objects;

import io.widerow.storage.StorageException;
import io.widerow.storage.disk.Disk;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/// The mark of a store's directory, by which it owns a prefix: the file `backup/mark`. A restored
/// store and a snapshot have none, so each is another directory.
final class BackupMark {
  static final String DIRECTORY = "backup";
  private static final String NAME = "mark";
  private static final String TEMPORARY = "mark.tmp";
  private static final Pattern TEXT = Pattern.compile("mark ([0-9a-f-]{36})\n");

  private BackupMark() {}

  /// Reads the mark of a store, or gives it one. Durable on return.
  static UUID of(Disk disk, Path store) {
    Path directory = store.resolve(DIRECTORY);
    Path file = directory.resolve(NAME);
    if (disk.exists(file)) {
      Matcher text = TEXT.matcher(new String(disk.readAll(file), StandardCharsets.US_ASCII));
      if (!text.matches()) {
        throw new StorageException.Corrupt(file, 0, "not a mark; delete it and use take-over");
      }
      return UUID.fromString(text.group(1));
    }
    UUID mark = UUID.randomUUID();
    disk.createDirectory(directory);
    disk.forceDirectory(store);
    disk.replace(
        file,
        directory.resolve(TEMPORARY),
        "mark %s\n".formatted(mark).getBytes(StandardCharsets.US_ASCII));
    disk.forceDirectory(directory);
    return mark;
  }
}
