@NullMarked
package io.widerow.loadgen;

import org.jspecify.annotations.NullMarked;
