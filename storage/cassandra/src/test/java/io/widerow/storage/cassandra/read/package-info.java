@NullMarked
package io.widerow.storage.cassandra.read;

import org.jspecify.annotations.NullMarked;
