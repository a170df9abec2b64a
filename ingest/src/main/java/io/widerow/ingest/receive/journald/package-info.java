/// Uploads of systemd's journal (`systemd-journal-upload`): the journal export format, in requests
/// without an end in sight.
///
/// - Threads: that of its request.
@NullMarked
package io.widerow.ingest.receive.journald;

import org.jspecify.annotations.NullMarked;
