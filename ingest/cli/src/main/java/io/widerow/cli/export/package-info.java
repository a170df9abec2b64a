/// Internal. `widerow export`: the events of a range in files.
@NullMarked
package io.widerow.cli.export;

import org.jspecify.annotations.NullMarked;
