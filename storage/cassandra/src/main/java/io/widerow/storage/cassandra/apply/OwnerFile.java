package io.widerow.storage.cassandra.apply;

import io.widerow.storage.StorageException;
import io.widerow.storage.cassandra.keyspace.StoreIdentity;
import io.widerow.storage.disk.Disk;
import java.io.IOException;
import java.io.StringReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Properties;
import java.util.UUID;
import java.util.zip.CRC32C;
import org.jspecify.annotations.Nullable;

/// Whose a directory is: which daemon of which store. A small text file, replaced as a whole:
///
/// ```
/// widerow=1
/// owner=<uuid>            the directory; other directories have others
/// store=<uuid>            id of the cluster's store
/// secret=<hex>            of the store
/// format=1
/// daemon=3                its number; -1 while it has none
/// epoch=17                the last start that the keyspace has noted
/// tried=17                the last start that the keyspace may have noted
/// from=4026531840         first arrival number that this start may give
/// limit=4294967296        first one that it may not give
/// crc=1a2b3c4d            CRC32C of the lines above
/// ```
///
/// @param owner of the directory
/// @param store of the cluster
/// @param daemon its number; -1 while it has none
/// @param epoch of the last start
/// @param tried the epoch of the last start that may have been noted in the keyspace
/// @param from first arrival number reserved for the present start
/// @param limit first arrival number that is not reserved
record OwnerFile(
    UUID owner, StoreIdentity store, int daemon, int epoch, int tried, long from, long limit) {
  static final String NAME = "owner";
  private static final String NAME_NEW = "owner.new";
  private static final String CRC = "crc=";

  /// Reads the file; null when there is none.
  ///
  /// @throws StorageException.Corrupt when it is damaged
  static @Nullable OwnerFile read(Disk disk, Path directory) {
    Path path = directory.resolve(NAME);
    if (!disk.exists(path)) {
      return null;
    }
    String text = new String(disk.readAll(path), StandardCharsets.UTF_8);
    int crcAt = text.lastIndexOf(CRC);
    if (crcAt < 0 || !text.substring(crcAt).equals(crcLine(text.substring(0, crcAt)))) {
      throw new StorageException.Corrupt(path, Math.max(0, crcAt), "its checksum is wrong");
    }
    Properties lines = new Properties();
    try {
      lines.load(new StringReader(text));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
    if (!"1".equals(lines.getProperty("widerow"))) {
      throw new StorageException.Incompatible(
          path, "format %s; this program reads format 1".formatted(lines.getProperty("widerow")));
    }
    return new OwnerFile(
        UUID.fromString(lines.getProperty("owner")),
        new StoreIdentity(
            UUID.fromString(lines.getProperty("store")),
            lines.getProperty("secret"),
            Integer.parseInt(lines.getProperty("format"))),
        Integer.parseInt(lines.getProperty("daemon")),
        Integer.parseInt(lines.getProperty("epoch")),
        Integer.parseInt(lines.getProperty("tried")),
        Long.parseLong(lines.getProperty("from")),
        Long.parseLong(lines.getProperty("limit")));
  }

  private static String crcLine(String text) {
    CRC32C crc = new CRC32C();
    crc.update(text.getBytes(StandardCharsets.UTF_8));
    return CRC + "%08x%n".formatted((int) crc.getValue());
  }

  /// The same, before a start is noted in the keyspace.
  OwnerFile trying(int newTried) {
    return new OwnerFile(owner, store, daemon, epoch, newTried, from, limit);
  }

  /// The same, after a start was noted in the keyspace.
  OwnerFile begun(int number, int newEpoch, long newFrom, long newLimit) {
    return new OwnerFile(owner, store, number, newEpoch, newEpoch, newFrom, newLimit);
  }

  /// Writes it, durably.
  void write(Disk disk, Path directory) {
    String text =
        """
        widerow=1
        owner=%s
        store=%s
        secret=%s
        format=%d
        daemon=%d
        epoch=%d
        tried=%d
        from=%d
        limit=%d
        """
            .formatted(
                owner,
                store.id(),
                store.secret(),
                store.format(),
                daemon,
                epoch,
                tried,
                from,
                limit);
    byte[] bytes = (text + crcLine(text)).getBytes(StandardCharsets.UTF_8);
    disk.replace(directory.resolve(NAME), directory.resolve(NAME_NEW), bytes);
    disk.forceDirectory(directory);
  }
}
