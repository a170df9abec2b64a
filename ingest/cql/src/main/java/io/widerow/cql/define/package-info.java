/// The schema of tables: how statements change it, and where it is kept.
@NullMarked
package io.widerow.cql.define;

import org.jspecify.annotations.NullMarked;
