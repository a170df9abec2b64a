package io.widerow.cql.events;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Table;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.NativeType;
import java.util.List;

/// The columns of `widerow.events`.
final class EventTable {
  static final CqlType ATTRIBUTES_TYPE = new CqlType.MapOf(NativeType.TEXT, NativeType.TEXT, false);
  static final CqlType NUMBERS_TYPE = new CqlType.MapOf(NativeType.TEXT, NativeType.DOUBLE, false);

  static final Table TABLE =
      Table.named("widerow", "events")
          .partition("type", NativeType.TEXT)
          .clustering("ts", NativeType.TIMESTAMP)
          .clustering("id", NativeType.TIMEUUID)
          .column("attributes", ATTRIBUTES_TYPE)
          .column("body", NativeType.TEXT)
          .column("numbers", NUMBERS_TYPE)
          .build(
              "all events, in one order of ts and id over all types; attributes has each of them as"
                  + " text, numbers the numeric ones");

  static final int TYPE = TABLE.find("type");
  static final int TS = TABLE.find("ts");
  static final int ID = TABLE.find("id");
  static final int ATTRIBUTES = TABLE.find("attributes");
  static final int BODY = TABLE.find("body");
  static final int NUMBERS = TABLE.find("numbers");
  static final List<CqlType> TYPES = TABLE.columns().stream().map(Column::type).toList();

  private EventTable() {}
}
