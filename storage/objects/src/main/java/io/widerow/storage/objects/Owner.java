package io.widerow.storage.objects;

import java.nio.charset.StandardCharsets;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/// The one directory that may write under a prefix, named by the object `owner`. Each start of its
/// daemon takes the next epoch, by a conditional PUT, and writes under names of that epoch only: a
/// process that lost the ownership and does not know it yet harms nothing.
///
/// @param object its name
/// @param epoch from 1
/// @param mark of the directory, which no copy made by a backup has
record Owner(String object, int epoch, UUID mark, String host, String since) {
  /// Of the backup under a prefix.
  static final String OBJECT = "owner";

  /// Of the cold segments under a prefix.
  static final String COLD = "cold-owner";

  /// Names the format of a prefix, and stays.
  static final String FORMAT_OBJECT = "widerow";

  static final String FORMAT_TEXT = "widerow-objects 1\nincompatible 0000000000000000\n";
  private static final int TRIES = 4;
  private static final Pattern TEXT =
      Pattern.compile(
          "\\{\"epoch\":(\\d{1,9}),\"mark\":\"([0-9a-f-]{36})\",\"host\":\"([^\"\\\\]*)\","
              + "\"since\":\"([^\"\\\\]*)\"}\n");
  private static final Pattern UNSAFE = Pattern.compile("[^A-Za-z0-9._-]");

  /// Takes the next epoch for a directory.
  ///
  /// @param object [#OBJECT] or [#COLD]
  /// @param force whether to take it from another directory
  /// @throws ObjectsException.OtherOwner when the prefix belongs to another directory
  static Owner claim(
      ObjectStore objects, String object, UUID mark, String host, long nanos, boolean force) {
    requireFormat(objects);
    for (int left = TRIES; left > 0; left--) {
      ObjectStore.Read there = objects.get(object);
      Owner now = there == null ? null : read(object, there.bytes());
      if (now != null && !now.mark.equals(mark) && !force) {
        throw other(objects, object, now);
      }
      if (!force) {
        requireOneStore(objects, object.equals(OBJECT) ? COLD : OBJECT, mark);
      }
      String name = UNSAFE.matcher(host).replaceAll("_");
      var next =
          new Owner(
              object, now == null ? 1 : now.epoch + 1, mark, name, Checkpoint.Times.text(nanos));
      if (objects.putIf(object, next.toBytes(), there == null ? null : there.tag()) != null) {
        return next;
      }
    }
    throw new ObjectsException.Away(
        "%s: others write its object '%s' all the time".formatted(objects, object));
  }

  /// A backup deletes what it does not need, and so do moves: both under a prefix must be of one
  /// directory.
  private static void requireOneStore(ObjectStore objects, String object, UUID mark) {
    Owner now = now(objects, object);
    if (now != null && !now.mark.equals(mark)) {
      throw other(objects, object, now);
    }
  }

  private static void requireFormat(ObjectStore objects) {
    byte[] text = FORMAT_TEXT.getBytes(StandardCharsets.US_ASCII);
    if (objects.get(FORMAT_OBJECT) == null) {
      var _ = objects.putIf(FORMAT_OBJECT, text, null);
    }
    if (objects.putIf(FORMAT_OBJECT, text, null) != null) { // it is there
      throw new ObjectsException.Away(
          objects
              + ": its server puts over an object in spite of If-None-Match, so it cannot"
              + " keep two daemons apart");
    }
    requireBackup(objects);
  }

  /// @throws ObjectsException.NotThere when nothing is under the prefix
  /// @throws ObjectsException.Damaged when it has another format
  static void requireBackup(ObjectStore objects) {
    ObjectStore.Read there = objects.get(FORMAT_OBJECT);
    if (there == null) {
      throw new ObjectsException.NotThere(
          objects + ": there is no backup, the object 'widerow' is not there");
    }
    String text = new String(there.bytes(), StandardCharsets.US_ASCII);
    if (!text.equals(FORMAT_TEXT)) {
      throw new ObjectsException.Damaged(
          FORMAT_OBJECT, "another format than widerow-objects 1; a later version may read it");
    }
  }

  /// Requires that this is still the owner.
  void require(ObjectStore objects) {
    Owner now = now(objects, object);
    if (now == null || now.epoch != epoch || !now.mark.equals(mark)) {
      throw other(objects, object, now);
    }
  }

  static @Nullable Owner now(ObjectStore objects, String object) {
    ObjectStore.Read there = objects.get(object);
    return there == null ? null : read(object, there.bytes());
  }

  private static ObjectsException.OtherOwner other(
      ObjectStore objects, String object, @Nullable Owner now) {
    String whose =
        now == null
            ? "its object '%s' is gone".formatted(object)
            : "it belongs to another directory, of %s, since %s".formatted(now.host, now.since);
    return new ObjectsException.OtherOwner(
        "%s: %s; `widerow backup take-over` makes this one the owner".formatted(objects, whose));
  }

  private byte[] toBytes() {
    return "{\"epoch\":%d,\"mark\":\"%s\",\"host\":\"%s\",\"since\":\"%s\"}\n"
        .formatted(epoch, mark, host, since)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private static Owner read(String object, byte[] bytes) {
    Matcher text = TEXT.matcher(new String(bytes, StandardCharsets.US_ASCII));
    if (!text.matches()) {
      throw new ObjectsException.Damaged(object, "not an owner");
    }
    return new Owner(
        object,
        Integer.parseInt(text.group(1)),
        UUID.fromString(text.group(2)),
        text.group(3),
        text.group(4));
  }
}
