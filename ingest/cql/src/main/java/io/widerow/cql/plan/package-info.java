/// From a statement and the schema to something that can be executed: types, rules, functions,
/// paging.
@NullMarked
package io.widerow.cql.plan;

import org.jspecify.annotations.NullMarked;
