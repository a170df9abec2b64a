/// GELF, Graylog's format: over UDP with its chunks, TCP and HTTP.
///
/// - Threads: that of its receiver, and those of HTTP.
@NullMarked
package io.widerow.ingest.receive.gelf;

import org.jspecify.annotations.NullMarked;
