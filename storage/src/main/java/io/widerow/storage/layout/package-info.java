/// Internal. The layout of types: how wide their buckets are and how many shards they have, as a
/// person fixed it or as rates and sizes ask for it. No clock, no disk, no threads.
@NullMarked
package io.widerow.storage.layout;

import org.jspecify.annotations.NullMarked;
