@NullMarked
package io.widerow.loadgen.verify;

import org.jspecify.annotations.NullMarked;
