/// Internal. What the store consists of at this moment (open rows and live segments) and the one
/// way to change it: [StoreContents]. Each change publishes a new immutable [StoreState], a change
/// of segments after the manifest is forced, so a view sees nothing move.
///
/// - Threads: changes under the lock of [StoreContents]; any thread reads the current state.
@NullMarked
package io.widerow.storage.live;

import org.jspecify.annotations.NullMarked;
