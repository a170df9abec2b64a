package io.widerow.storage.cold;

import io.widerow.storage.StorageException;
import org.jspecify.annotations.Nullable;

/// A place that keeps the objects of cold segments: the seam to the module of object stores.
///
/// - Threads: any.
public interface ColdPlace {
  /// Reads a part of an object, in one request.
  ///
  /// @return fewer bytes only at the end of the object; null when there is none
  /// @throws StorageException.Unreachable when the place does not answer in about ten seconds
  byte @Nullable [] read(String object, long offset, int bytes);

  /// Its URL, which stubs name.
  String url();
}
