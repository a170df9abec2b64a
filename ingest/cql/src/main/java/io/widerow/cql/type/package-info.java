/// Types of CQL, and their values: as objects, as bytes on the wire, as literals, as JSON.
///
/// | type | object |
/// |---|---|
/// | ascii, text | `String` |
/// | tinyint, smallint, int, bigint, varint | `Byte`, `Short`, `Integer`, `Long`, `BigInteger` |
/// | float, double, decimal, boolean | `Float`, `Double`, `BigDecimal`, `Boolean` |
/// | timestamp, date, time | `Instant` (milliseconds), `LocalDate`, `LocalTime` |
/// | uuid, timeuuid, inet | `UUID`, `UUID`, `InetAddress` |
/// | blob | `ByteBuffer` |
/// | list, set, map | `List`, `Set` and `Map` in the order of their elements |
/// | tuple, types of users | `List` of a value or null for each |
/// | counter, duration | `Long`, `CqlDuration` |
/// | any but a text and a blob, without bytes | `Empty` |
@NullMarked
package io.widerow.cql.type;

import org.jspecify.annotations.NullMarked;
