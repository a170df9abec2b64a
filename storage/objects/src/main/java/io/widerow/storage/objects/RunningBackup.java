package io.widerow.storage.objects;

/// The backup of an open store: what its two threads do, and what it reports. It never stops the
/// store.
///
/// - Threads: one calls [#step], another one [#checkpoint], each once a second; any thread the
///   rest.
public interface RunningBackup extends AutoCloseable {
  /// Ships what is due of the journals, if they are shipped.
  void step();

  /// Makes a checkpoint, if one is due.
  void checkpoint();

  /// Ships everything that is on the disk now, and makes a checkpoint.
  ///
  /// @throws ObjectsException.Away when the place does not answer
  Backup.Made now();

  Backup.Status status();

  @Override
  void close();
}
