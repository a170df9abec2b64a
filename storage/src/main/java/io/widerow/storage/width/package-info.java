/// Internal. How wide the partitions of tables are: what a table file keeps of its widest ones.
@NullMarked
package io.widerow.storage.width;

import org.jspecify.annotations.NullMarked;
