package io.widerow.ingest;

import io.widerow.storage.Damage;
import io.widerow.storage.EventStore;
import io.widerow.storage.PartitionInfo;
import java.util.HashSet;
import java.util.Set;
import java.util.logging.Level;
import java.util.logging.Logger;

/// Logs newly found damage of a store, each once.
///
/// - Threads: one.
final class DamageLog {
  private static final Logger LOG = Logger.getLogger("widerow");

  private final EventStore store;
  private final Set<String> known = new HashSet<>();

  DamageLog(EventStore store) {
    this.store = store;
  }

  /// Logs damage that was found since the last call.
  void look() {
    for (Damage damage : store.statistics().damage()) {
      boolean told = damage.kind() == Damage.Kind.SCHEMA; // by the port of CQL, with the text
      if (!told && known.add(damage.sentence())) {
        LOG.log(
            Level.SEVERE,
            "{0}; {1} events of {2} cannot be read, all others are served",
            new Object[] {
              damage.sentence(),
              Long.toString(damage.events()),
              damage.partitions().stream().map(PartitionInfo::key).toList()
            });
      }
    }
  }
}
