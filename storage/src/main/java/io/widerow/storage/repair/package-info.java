/// Verification and repair of a stopped store: [StoreVerifier] checks every byte, [StoreRepair]
/// makes a damaged store whole again and reports exactly which data was lost. Both are exported;
/// the rest is internal.
///
/// - Threads: one.
@NullMarked
package io.widerow.storage.repair;

import org.jspecify.annotations.NullMarked;
