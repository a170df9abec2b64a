package io.widerow.storage.embedded;

import io.widerow.storage.Damage;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// The extension of a store without tables: it has no files, and there is nothing to do.
///
/// - Threads: any.
final class NoExtension implements StoreExtension {
  static final Provider PROVIDER = new NoProvider();

  @Override
  public void begin() {}

  @Override
  public void maintain(Duration openAge) {}

  @Override
  public void flush() {}

  @Override
  public long memoryBytes() {
    return 0;
  }

  @Override
  public List<Damage> damage() {
    return List.of();
  }

  @Override
  public List<String> remarks() {
    return List.of();
  }

  @Override
  public Moment snapshot() {
    return Moment.NONE;
  }

  @Override
  public @Nullable Lane openLane() {
    return null;
  }

  @Override
  public void close() {}

  @Override
  public void free() {}

  /// Its state, at any moment.
  static final class Nothing implements Moment {
    @Override
    public boolean isEmpty() {
      return true;
    }

    @Override
    public long committed() {
      return 0;
    }

    @Override
    public Copy copyTo(Path snapshot, long committed) {
      return new Copy(0, 0);
    }

    @Override
    public void release() {}
  }

  private static final class NoProvider implements Provider {
    @Override
    public StoreExtension open(ExtensionContext context, boolean readOnly, boolean acceptsLoss) {
      return NONE;
    }

    @Override
    public Copy snapshot(StoreFiles store, Path snapshot) {
      return new Copy(0, 0);
    }

    @Override
    public void snapshotNothing(StoreFiles store, Path snapshot) {}

    @Override
    public Verification verify(StoreFiles store) {
      return new Verification(0, 0, 0, List.of(), List.of());
    }

    @Override
    public Repair repair(StoreFiles store, boolean acceptLoss) {
      return new Repair(List.of(), List.of(), List.of(), false);
    }
  }
}
