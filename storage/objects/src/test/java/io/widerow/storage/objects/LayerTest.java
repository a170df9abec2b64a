package io.widerow.storage.objects;

import io.widerow.house.LayerRules;

/// The walls of the module of backups: what of the store it imports. It knows nothing of the
/// daemon.
class LayerTest extends LayerRules {
  private static final String TABLE =
      """
      storage:
      storage.disk:
      storage.cold:
      storage.journal:
      storage.manifest:
      storage.maintenance:
      storage.embedded:
      storage.repair:
      storage.objects: storage storage.disk storage.cold storage.journal storage.manifest \
          storage.maintenance storage.embedded storage.repair
      storage.objects.s3: storage storage.objects
      """;

  LayerTest() {
    super(TABLE, "storage.objects", "storage.embedded");
  }
}
