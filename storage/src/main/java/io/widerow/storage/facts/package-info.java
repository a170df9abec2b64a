/// Internal. What a table file tells about its rows beside them: which keys it may have, how wide
/// its partitions are, what it was made of.
@NullMarked
package io.widerow.storage.facts;

import org.jspecify.annotations.NullMarked;
