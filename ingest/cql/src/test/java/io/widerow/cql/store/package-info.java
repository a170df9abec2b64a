/// The model of tables, which is the oracle of the store's tests and stands in for the store in
/// tests of other modules, and tests against it.
@NullMarked
package io.widerow.cql.store;

import org.jspecify.annotations.NullMarked;
