/// The rules of the house that tests of all modules share: which package may import which.
@NullMarked
package io.widerow.house;

import org.jspecify.annotations.NullMarked;
