@NullMarked
package io.widerow.loadgen.compare;

import org.jspecify.annotations.NullMarked;
