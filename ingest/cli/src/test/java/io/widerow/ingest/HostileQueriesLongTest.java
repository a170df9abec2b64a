package io.widerow.ingest;

import org.junit.jupiter.api.Tag;

/// The storm of [HostileQueriesTest] with 10,000 queries.
@Tag("faults")
class HostileQueriesLongTest extends HostileQueriesTest {
  @Override
  int queries() {
    return 10_000;
  }
}
