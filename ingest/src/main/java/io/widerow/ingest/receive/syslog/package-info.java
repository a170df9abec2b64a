/// Syslog over TCP and UDP: RFC 5424 and RFC 3164, octet counting and line framing (RFC 6587).
///
/// - Threads: that of its receiver.
@NullMarked
package io.widerow.ingest.receive.syslog;

import org.jspecify.annotations.NullMarked;
