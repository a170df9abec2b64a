/// InfluxDB line protocol, versions 1 and 2: `POST /write`, `POST /api/v2/write`.
///
/// - Threads: a decoder belongs to one request; a cache of known series is lent to one at a time.
@NullMarked
package io.widerow.ingest.receive.influx;

import org.jspecify.annotations.NullMarked;
