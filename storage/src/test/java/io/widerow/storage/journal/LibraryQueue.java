package io.widerow.storage.journal;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import net.openhft.chronicle.core.Jvm;
import net.openhft.chronicle.queue.ExcerptAppender;
import net.openhft.chronicle.queue.ExcerptTailer;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueue;
import net.openhft.chronicle.queue.impl.single.SingleChronicleQueueBuilder;
import net.openhft.chronicle.queue.rollcycles.LegacyRollCycles;
import net.openhft.chronicle.wire.DocumentContext;

/// Journal files as Chronicle Queue's library writes and reads them.
final class LibraryQueue {
  private static final int INDEX_COUNT = 4 << 10;
  private static final int INDEX_SPACING = 256;

  static {
    System.setProperty("chronicle.analytics.disable", "true");
    System.setProperty("chronicle.announcer.disable", "true");
    Jvm.disableDebugHandler();
    Jvm.disablePerfHandler();
    Jvm.disableWarnHandler();
  }

  private LibraryQueue() {}

  /// A queue of one file: its clock stands still, so it never rolls.
  private static SingleChronicleQueueBuilder builder(Path directory, long bytes) {
    return SingleChronicleQueueBuilder.binary(directory)
        .rollCycle(LegacyRollCycles.DAILY)
        .indexCount(INDEX_COUNT)
        .indexSpacing(INDEX_SPACING)
        .blockSize(bytes)
        .timeProvider(() -> 0L)
        .timeoutMS(1)
        .checkInterrupts(false);
  }

  /// Lets the library write its header and its empty index.
  ///
  /// @return offset of the first excerpt's length word
  static long writeHeader(Path directory, long bytes) {
    try (SingleChronicleQueue queue = builder(directory, bytes).build();
        ExcerptAppender appender = queue.createAppender();
        DocumentContext nothing = appender.writingDocument()) {
      nothing.rollbackOnClose();
      return Objects.requireNonNull(nothing.wire()).bytes().writePosition() - Integer.BYTES;
    }
  }

  /// Appends an excerpt by the library.
  static void append(Path directory, long bytes, byte[] excerpt) {
    try (SingleChronicleQueue queue = builder(directory, bytes).build();
        ExcerptAppender appender = queue.createAppender();
        DocumentContext context = appender.writingDocument()) {
      Objects.requireNonNull(context.wire()).bytes().write(excerpt);
    }
  }

  /// The excerpts that a tailer finds.
  static List<byte[]> read(Path directory, long bytes) {
    List<byte[]> excerpts = new ArrayList<>();
    try (SingleChronicleQueue queue = builder(directory, bytes).build();
        ExcerptTailer tailer = queue.createTailer()) {
      while (true) {
        try (DocumentContext context = tailer.readingDocument()) {
          if (!context.isPresent()) {
            return excerpts;
          }
          excerpts.add(Objects.requireNonNull(context.wire()).bytes().toByteArray());
        }
      }
    }
  }
}
