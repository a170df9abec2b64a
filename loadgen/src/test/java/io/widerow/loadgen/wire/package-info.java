@NullMarked
package io.widerow.loadgen.wire;

import org.jspecify.annotations.NullMarked;
