@NullMarked
package io.widerow.loadgen.format;

import org.jspecify.annotations.NullMarked;
