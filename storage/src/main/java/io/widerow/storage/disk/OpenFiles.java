package io.widerow.storage.disk;

import io.widerow.storage.FileLimit;
import java.util.ArrayDeque;

/// A bound on the files that a process has open for reading: a store may have more segments than
/// the kernel lets a process open. Above the bound it closes a file that was not read recently,
/// chosen by the second-chance (clock) algorithm.
///
/// - Threads: any.
final class OpenFiles {
  /// The bound for this process: a quarter of the kernel's limit. The rest is for connections.
  static final OpenFiles OF_PROCESS =
      new OpenFiles(Math.clamp(FileLimit.ofProcess() / 4, 16, 4_096));

  /// A file that can be closed and opened again.
  interface Reopenable {
    /// True when the file was read since the last call.
    boolean wasRead();

    /// Closes the file; the next read opens it again.
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

  /// Closes half of the files, for other uses of the process.
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
