package io.widerow.query.parquet;

import static org.apache.parquet.schema.LogicalTypeAnnotation.mapType;
import static org.apache.parquet.schema.LogicalTypeAnnotation.stringType;
import static org.apache.parquet.schema.LogicalTypeAnnotation.timestampType;

import java.util.ArrayList;
import java.util.List;
import org.apache.parquet.column.ColumnDescriptor;
import org.apache.parquet.format.ConvertedType;
import org.apache.parquet.format.FieldRepetitionType;
import org.apache.parquet.format.LogicalType;
import org.apache.parquet.format.MapType;
import org.apache.parquet.format.MicroSeconds;
import org.apache.parquet.format.SchemaElement;
import org.apache.parquet.format.StringType;
import org.apache.parquet.format.TimeUnit;
import org.apache.parquet.format.TimestampType;
import org.apache.parquet.format.Type;
import org.apache.parquet.schema.GroupType;
import org.apache.parquet.schema.LogicalTypeAnnotation;
import org.apache.parquet.schema.MessageType;
import org.apache.parquet.schema.PrimitiveType.PrimitiveTypeName;
import org.apache.parquet.schema.Types;

/// The columns of an event.
///
/// ```
///   id          string                    the UUID
///   ts          timestamp, us, UTC        rounded down; every reader knows this unit
///   ts_nanos    int64                     the time to the nanosecond, since the Unix epoch
///   type        string
///   body        string, may be null       the body if it is a string
///   attributes  map of string to string   all others, and a body of another kind, as text
///   numbers     map of string to double   those of them that are numbers
///   kinds       map of string to string   non-string values: long, double, boolean, bytes
/// ```
///
/// `attributes` and `kinds` hold the whole event. `numbers` is for queries.
final class EventSchema {
  static final MessageType MESSAGE =
      Types.buildMessage()
          .required(PrimitiveTypeName.BINARY)
          .as(stringType())
          .named("id")
          .required(PrimitiveTypeName.INT64)
          .as(timestampType(true, LogicalTypeAnnotation.TimeUnit.MICROS))
          .named("ts")
          .required(PrimitiveTypeName.INT64)
          .named("ts_nanos")
          .required(PrimitiveTypeName.BINARY)
          .as(stringType())
          .named("type")
          .optional(PrimitiveTypeName.BINARY)
          .as(stringType())
          .named("body")
          .addField(mapOf("attributes", text("value")))
          .addField(mapOf("numbers", Types.required(PrimitiveTypeName.DOUBLE).named("value")))
          .addField(mapOf("kinds", text("value")))
          .named("widerow_event");

  /// The leaves, in the order of the file.
  static final List<ColumnDescriptor> COLUMNS = MESSAGE.getColumns();

  static final int ID = 0;
  static final int TS = 1;
  static final int NANOS = 2;
  static final int TYPE = 3;
  static final int BODY = 4;
  static final int ATTRIBUTES = 5; // its names; its values follow
  static final int NUMBERS = 7;
  static final int KINDS = 9;

  private EventSchema() {}

  private static org.apache.parquet.schema.Type text(String name) {
    return Types.required(PrimitiveTypeName.BINARY).as(stringType()).named(name);
  }

  private static GroupType mapOf(String name, org.apache.parquet.schema.Type value) {
    GroupType entry = Types.repeatedGroup().addFields(text("key"), value).named("key_value");
    return Types.requiredGroup().as(mapType()).addField(entry).named(name);
  }

  /// The schema as the footer of a file has it: depth first, each group before its fields.
  static List<SchemaElement> elements() {
    List<SchemaElement> elements = new ArrayList<>();
    SchemaElement root = new SchemaElement(MESSAGE.getName());
    root.setNum_children(MESSAGE.getFieldCount());
    elements.add(root);
    MESSAGE.getFields().forEach(field -> add(field, elements));
    return elements;
  }

  private static void add(org.apache.parquet.schema.Type field, List<SchemaElement> elements) {
    SchemaElement element = new SchemaElement(field.getName());
    element.setRepetition_type(FieldRepetitionType.valueOf(field.getRepetition().name()));
    switch (field.getLogicalTypeAnnotation()) {
      case LogicalTypeAnnotation.StringLogicalTypeAnnotation _ -> {
        element.setConverted_type(ConvertedType.UTF8);
        element.setLogicalType(LogicalType.STRING(new StringType()));
      }
      case LogicalTypeAnnotation.MapLogicalTypeAnnotation _ -> {
        element.setConverted_type(ConvertedType.MAP);
        element.setLogicalType(LogicalType.MAP(new MapType()));
      }
      case LogicalTypeAnnotation.TimestampLogicalTypeAnnotation _ -> {
        element.setConverted_type(ConvertedType.TIMESTAMP_MICROS);
        TimeUnit unit = TimeUnit.MICROS(new MicroSeconds());
        element.setLogicalType(LogicalType.TIMESTAMP(new TimestampType(true, unit)));
      }
      case null, default -> {}
    }
    elements.add(element);
    if (field.isPrimitive()) {
      element.setType(type(field.asPrimitiveType().getPrimitiveTypeName()));
    } else {
      element.setNum_children(field.asGroupType().getFieldCount());
      field.asGroupType().getFields().forEach(inner -> add(inner, elements));
    }
  }

  static Type type(PrimitiveTypeName name) {
    return name == PrimitiveTypeName.BINARY ? Type.BYTE_ARRAY : Type.valueOf(name.name());
  }
}
