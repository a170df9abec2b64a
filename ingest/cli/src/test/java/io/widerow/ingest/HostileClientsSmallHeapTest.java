package io.widerow.ingest;

import java.util.List;
import org.junit.jupiter.api.Tag;

/// The attacks of [HostileClientsTest] on a daemon with a heap of 64 MiB and 32 MiB of direct
/// memory. No limit for clients is configured: all follow from the heap.
@Tag("faults")
class HostileClientsSmallHeapTest extends HostileClientsTest {
  @Override
  int scale() {
    return Integer.getInteger("hostile.small", 2);
  }

  @Override
  int heapMebibytes() {
    return 64;
  }

  @Override
  List<String> jvm() {
    return List.of("-XX:MaxDirectMemorySize=32m");
  }

  @Override
  List<String> settings() {
    return List.of("lanes=1", "open-bytes=8388608");
  }
}
