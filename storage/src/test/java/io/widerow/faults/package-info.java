/// Tools that the fault tests of all modules share.
@NullMarked
package io.widerow.faults;

import org.jspecify.annotations.NullMarked;
