package io.widerow.storage.scan;

import io.widerow.faults.DiskAround;
import io.widerow.faults.DiskFileAround;
import io.widerow.storage.disk.Disk;
import io.widerow.storage.disk.DiskFile;
import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;

/// A disk that can hold up the readers of a thread that is called `other`.
final class HeldDisk extends DiskAround {
  final CountDownLatch reading = new CountDownLatch(1);
  final CountDownLatch goOn = new CountDownLatch(1);
  final AtomicLong reads = new AtomicLong();
  volatile boolean holds;

  HeldDisk(Disk disk) {
    super(disk);
  }

  @Override
  public DiskFile open(Path file) {
    return new DiskFileAround(super.open(file)) {
      @Override
      public long read(MemorySegment target, long offset) {
        reads.incrementAndGet();
        if (holds && Thread.currentThread().getName().equals("other")) {
          reading.countDown();
          try {
            goOn.await();
          } catch (InterruptedException interrupted) {
            throw new IllegalStateException(interrupted);
          }
        }
        return super.read(target, offset);
      }
    };
  }
}
