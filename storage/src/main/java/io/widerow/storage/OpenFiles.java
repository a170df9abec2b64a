package io.widerow.storage;

import java.util.ArrayDeque;

/// Bounds how many files of a process are open for reading, since the kernel does: a store may have
/// more segments than a process may have files. Who comes above the bound has the one set aside
/// that was not read for longest, about: a second chance for each that was.
///
/// - Threads: any.
final class OpenFiles {
  /// Those of this process: a quarter of what the kernel allows. The rest is for connections.
  static final OpenFiles OF_PROCESS =
      new OpenFiles(Math.clamp(FileLimit.ofProcess() / 4, 16, 4_096));

  /// A file that can be closed and opened again.
  interface Reopenable {
    /// True when it was read since this was last asked.
    boolean wasRead();

    /// Closes it; whoever reads it next opens it again.
    void setAside();
  }

  private final int most;
  private final ArrayDeque<Reopenable> open = new ArrayDeque<>(); // guarded by this

  OpenFiles(int most) {
    this.most = most;
  }

  synchronized int count() {
    return open.size();
  }

  synchronized void opened(Reopenable file) {
    open.add(file);
    while (open.size() > most) {
      setOneAside();
    }
  }

  synchronized void closed(Reopenable file) {
    open.remove(file);
  }

  /// Sets half of the files aside: others of this process need theirs.
  synchronized void setHalfAside() {
    for (int left = open.size() / 2; left > 0; left--) {
      setOneAside();
    }
  }

  private void setOneAside() {
    for (int tries = open.size(); ; tries--) {
      Reopenable oldest = open.remove();
      if (tries == 0 || !oldest.wasRead()) {
        oldest.setAside();
        return;
      }
      open.add(oldest);
    }
  }
}
