package io.widerow.storage.embedded;

import io.widerow.storage.StorageException;

/// The extension of an open store: opened with the store when `FORMAT` says that there are tables,
/// else at the first request for it.
///
/// - Threads: any.
final class OpenedExtension {
  private final ExtensionContext context;
  private final OpenPurpose purpose;
  private volatile StoreExtension extension = StoreExtension.NONE;
  private boolean isClosed;

  OpenedExtension(ExtensionContext context, OpenPurpose purpose) {
    this.context = context;
    this.purpose = purpose;
  }

  /// Opens the extension when the store has tables.
  void open() {
    extension = open(StoreExtension.Provider.of(context.disk(), context.storeDirectory()));
  }

  private StoreExtension open(StoreExtension.Provider provider) {
    return provider.open(
        context, purpose == OpenPurpose.READING, purpose == OpenPurpose.ACCEPTING_LOSS);
  }

  /// The extension; [StoreExtension#NONE] until it is needed.
  StoreExtension get() {
    return extension;
  }

  /// Begins to write, if there is something. On a full disk it begins when there is room.
  void begin() {
    if (purpose.writesNow()) {
      try {
        extension.begin();
      } catch (StorageException.DiskFull full) {
        context.store().backgroundFailed(full);
      }
    }
  }

  /// The extension as a type that it implements; opens it when it is not open.
  @SuppressWarnings("ReferenceEquality") // the null object is one
  synchronized <T> T as(Class<T> type) {
    if (extension == StoreExtension.NONE) {
      if (isClosed) {
        throw new StorageException.ReadOnly("the store is closed");
      }
      extension = open(StoreExtension.Provider.installed(context.storeDirectory()));
    }
    return type.cast(extension);
  }

  synchronized void close() {
    isClosed = true;
    extension.close();
  }
}
