package io.widerow.ingest;

import org.junit.jupiter.api.Tag;

/// The attacks of [HostileClientsTest], twenty times as many.
@Tag("faults")
class HostileClientsLongTest extends HostileClientsTest {
  @Override
  int scale() {
    return Integer.getInteger("hostile", 20);
  }
}
