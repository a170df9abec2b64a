/// Internal. Crash recovery, what a start does before anything is taken in: check the journals
/// (redo log), decide what was promised, replay it into rows and seal them.
///
/// - Threads: one, and the owner's executor for sealing.
@NullMarked
package io.widerow.storage.recovery;

import org.jspecify.annotations.NullMarked;
