/// Verification: a forced ledger of acknowledged batches, and the check of everything read back
/// against it.
///
/// - Threads: the [Ledger] is written by all senders; reading back is done by one thread.
@NullMarked
package io.widerow.loadgen.verify;

import org.jspecify.annotations.NullMarked;
