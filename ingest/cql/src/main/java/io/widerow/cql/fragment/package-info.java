/// Internal. Fragments: the effect of a write on a row of a table, in bytes, and the rules by which
/// the fragments of a row are merged.
@NullMarked
package io.widerow.cql.fragment;

import org.jspecify.annotations.NullMarked;
