package io.widerow.storage.objects;

import java.io.IOException;
import java.io.InputStream;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.List;

/// Check of all objects that a restore needs, without one.
///
/// - Threads: one.
public final class Verification {
  private static final int BUFFER_BYTES = 1 << 16;

  private final ObjectStore objects;
  private final List<String> damaged = new ArrayList<>();
  private long checked;
  private long bytes;

  /// What was found.
  ///
  /// @param checkpoint the one that a restore would begin with
  /// @param objects number of those that were looked at
  /// @param bytes that were read
  /// @param damaged a sentence for each bad object, which begins with its name
  public record Report(String checkpoint, long objects, long bytes, List<String> damaged) {
    public Report {
      damaged = List.copyOf(damaged);
    }
  }

  public Verification(ObjectStore objects) {
    this.objects = objects;
  }

  /// Checks.
  ///
  /// @param atNanos the time as of which a restore would be made; [Long#MAX_VALUE] for the newest
  /// @param quick whether to look only at which objects exist, and at sizes of files
  public Report run(long atNanos, boolean quick) {
    var catalog = new BackupCatalog(objects);
    BackupCatalog.Plan plan = catalog.plan(atNanos);
    for (Checkpoint.Entry file : plan.checkpoint().files()) {
      checked++;
      if (quick) {
        look(file);
      } else {
        read(file);
      }
    }
    if (quick) {
      lookAtFrames(plan);
    } else {
      readFrames(catalog, plan);
    }
    return new Report(plan.checkpoint().name(), checked, bytes, damaged);
  }

  private void look(Checkpoint.Entry file) {
    ObjectStore.Found found = objects.head(file.object());
    if (found == null) {
      damaged.add(file.object() + ": it is missing");
    } else if (found.bytes() != file.bytes()) {
      damaged.add(
          "%s: %d bytes, %d were put".formatted(file.object(), found.bytes(), file.bytes()));
    }
  }

  private void read(Checkpoint.Entry file) {
    MessageDigest digest = ContentDigest.digest();
    long length = 0;
    try (InputStream in = objects.open(file.object())) {
      if (in == null) {
        damaged.add(file.object() + ": it is missing");
        return;
      }
      byte[] buffer = new byte[BUFFER_BYTES];
      for (int got = in.read(buffer); got >= 0; got = in.read(buffer)) {
        digest.update(buffer, 0, got);
        length += got;
      }
    } catch (IOException failure) {
      throw new ObjectsException.Away(file.object() + ": " + failure, failure);
    }
    bytes += length;
    if (length != file.bytes() || !ContentDigest.text(digest.digest()).equals(file.sha256())) {
      damaged.add(
          "%s: its contents are not what was put: %d bytes".formatted(file.object(), length));
    }
  }

  private void lookAtFrames(BackupCatalog.Plan plan) {
    Checkpoint checkpoint = plan.checkpoint();
    long limit = plan.frames();
    for (long seq = checkpoint.journal(); seq < limit; seq++) {
      String name = FrameObject.name(checkpoint.epoch(), seq);
      checked++;
      if (objects.head(name) == null) {
        damaged.add(name + ": it is missing");
      }
    }
  }

  /// Ends at the first bad one: what follows it cannot be restored without it.
  private void readFrames(BackupCatalog catalog, BackupCatalog.Plan plan) {
    var chain = new FrameChain(catalog, plan);
    try {
      for (FrameObject object = chain.next(); object != null; object = chain.next()) {
        checked++;
        bytes += object.size();
      }
    } catch (ObjectsException.Damaged bad) {
      damaged.add(String.valueOf(bad.getMessage()));
    }
  }
}
