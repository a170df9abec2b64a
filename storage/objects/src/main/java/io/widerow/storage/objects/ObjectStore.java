package io.widerow.storage.objects;

import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// A place for objects: names with bytes, which appear whole or not at all. A name is a path of
/// words, `segments/0000000000000001-0123456789abcdef.seg`.
///
/// Each call ends with success, with a result that says no, or with [ObjectsException.Away]: then
/// the change may or may not have been made.
///
/// - Threads: any.
public interface ObjectStore {
  /// Bytes to put, which can be read several times.
  interface Content {
    long bytes();

    InputStream open() throws IOException;
  }

  /// An object as it is now.
  ///
  /// @param bytes its size
  /// @param tag changes whenever the object is replaced
  record Found(long bytes, String tag) {}

  /// A read object.
  ///
  /// @param tag as in [Found]
  @SuppressWarnings("ArrayRecordComponent") // it is compared with no other
  record Read(byte[] bytes, String tag) {}

  /// Puts an object, in place of one of this name.
  void put(String name, Content content);

  /// Puts an object if the one of its name is still the expected one, by one atomic step.
  ///
  /// @param tag of the expected one; null when there must be none
  /// @return the tag of the new object; null when another one is there, or none
  @Nullable String putIf(String name, byte[] bytes, @Nullable String tag);

  /// Reads a small object; null when there is none.
  @Nullable Read get(String name);

  /// Reads a part of an object.
  ///
  /// @return fewer bytes only at the end of the object; null when there is none
  byte @Nullable [] read(String name, long offset, int bytes);

  /// Opens an object for reading; null when there is none. Reading it may fail with an
  /// [IOException], and then nothing is known of the object.
  @Nullable InputStream open(String name);

  /// Looks at an object; null when there is none.
  @Nullable Found head(String name);

  /// Names that begin with a prefix, sorted. An object that was put or deleted a moment ago may be
  /// missing or there.
  List<String> list(String prefix);

  /// Deletes an object, if there is one.
  void delete(String name);

  /// Deletes what puts that were cut off have left since more than a day.
  void tidy();

  /// The place in words, for messages.
  @Override
  String toString();
}
