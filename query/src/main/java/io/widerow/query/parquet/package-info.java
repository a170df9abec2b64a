/// Internal. Events as Apache Parquet: a table with a column for each part of an event, and maps
/// for its attributes. Encoding, levels and the metadata are those of Apache's parquet-column and
/// parquet-format-structures; files, pages and their compression are here, because parquet-hadoop
/// needs Hadoop's classes.
@NullMarked
package io.widerow.query.parquet;

import org.jspecify.annotations.NullMarked;
