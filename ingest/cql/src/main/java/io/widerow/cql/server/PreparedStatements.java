package io.widerow.cql.server;

import io.widerow.cql.plan.Prepared;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/// The prepared statements of all connections. When there are too many, the least recently used
/// ones are discarded, and drivers prepare them again.
///
/// - Threads: any.
/// - Memory: at most [#CHARS_MAX] characters of statements.
final class PreparedStatements {
  private static final int STATEMENTS_MAX = 10_000;
  private static final long CHARS_MAX = 1L << 19;

  private final ReentrantLock lock = new ReentrantLock();
  private final Map<StatementId, Entry> byId = new LinkedHashMap<>(16, 0.75f, true); // by last use
  private long chars;
  private long schemas; // that there were

  /// A statement with its text.
  record Entry(Prepared prepared, String text) {}

  @Nullable Entry find(StatementId id) {
    lock.lock();
    try {
      return byId.get(id);
    } finally {
      lock.unlock();
    }
  }

  /// Forgets all: the schema has changed, and with it what they mean.
  void clear() {
    lock.lock();
    try {
      byId.clear();
      chars = 0;
      schemas++;
    } finally {
      lock.unlock();
    }
  }

  /// Which schema there is: a number that rises with each change.
  long schema() {
    lock.lock();
    try {
      return schemas;
    } finally {
      lock.unlock();
    }
  }

  /// Keeps a statement, unless the schema has changed since.
  ///
  /// @param schema for which it was prepared
  void put(StatementId id, Prepared prepared, String text, long schema) {
    lock.lock();
    try {
      if (schema != schemas) {
        return; // the driver prepares it again
      }
      Entry before = byId.put(id, new Entry(prepared, text));
      chars += text.length() - (before == null ? 0 : before.text.length());
      Iterator<Entry> oldest = byId.values().iterator();
      while (byId.size() > 1 && (byId.size() > STATEMENTS_MAX || chars > CHARS_MAX)) {
        chars -= oldest.next().text.length();
        oldest.remove();
      }
    } finally {
      lock.unlock();
    }
  }
}
