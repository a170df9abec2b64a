/// Internal. Crash recovery, the work of a start before it accepts events: check the journals (redo
/// log), decide which groups were acknowledged, replay them into rows and seal the rows.
///
/// - Threads: one, and the owner's executor for sealing.
@NullMarked
package io.widerow.storage.recovery;

import org.jspecify.annotations.NullMarked;
