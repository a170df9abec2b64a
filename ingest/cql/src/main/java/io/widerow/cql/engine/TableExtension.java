package io.widerow.cql.engine;

import io.widerow.storage.embedded.ExtensionContext;
import io.widerow.storage.embedded.StoreExtension;
import java.nio.file.Path;

/// The provider of the tables of embedded stores. `META-INF/services` names it.
///
/// - Threads: any.
public final class TableExtension implements StoreExtension.Provider {
  @Override
  public StoreExtension open(ExtensionContext context, boolean readOnly, boolean acceptsLoss) {
    return TableEngine.open(context, readOnly, acceptsLoss);
  }

  @Override
  public StoreExtension.Copy snapshot(StoreExtension.StoreFiles store, Path snapshot) {
    return new TableSnapshot(store, snapshot).linkAll();
  }

  @Override
  public void snapshotNothing(StoreExtension.StoreFiles store, Path snapshot) {
    TableSnapshot.none(store, snapshot);
  }

  @Override
  public StoreExtension.Verification verify(StoreExtension.StoreFiles store) {
    return new TableCheck(store).check();
  }

  @Override
  public StoreExtension.Repair repair(StoreExtension.StoreFiles store, boolean acceptLoss) {
    return new TableRepair(store, acceptLoss).repair();
  }
}
