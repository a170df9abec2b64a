package io.widerow.cql.function;

import io.widerow.cql.CqlException;
import io.widerow.cql.type.Literals;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.WireCodec;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import org.jspecify.annotations.Nullable;

/// Values as their bytes, and bytes as values.
final class BlobFunctions {
  private BlobFunctions() {}

  static List<NativeFunction> all() {
    List<NativeFunction> all = new ArrayList<>();
    for (NativeType type : NativeType.values()) {
      if (type != NativeType.BLOB) {
        add(type, type.cql(), all);
      }
    }
    add(NativeType.TEXT, "varchar", all);
    return all;
  }

  private static void add(NativeType type, String name, List<NativeFunction> all) {
    for (String infix : List.of("_as_", "as")) {
      String from = "blob" + infix + name;
      all.add(
          new NativeFunction(
              name + infix + "blob",
              List.of(type),
              NativeType.BLOB,
              true,
              (values, _) -> values[0] == null ? null : WireCodec.encode(type, values[0])));
      all.add(
          new NativeFunction(
              from,
              List.of(NativeType.BLOB),
              type,
              true,
              (values, _) -> values[0] == null ? null : value(from, type, (ByteBuffer) values[0])));
    }
  }

  private static @Nullable Object value(String function, NativeType type, ByteBuffer bytes) {
    try {
      return Literals.requireModest(WireCodec.decode(type, bytes.duplicate()));
    } catch (CqlException wrong) {
      throw CqlException.invalid(
          ("In call to function system.%s, value 0x%s is not a valid binary representation for type"
                  + " %s")
              .formatted(function, HexFormat.of().formatHex(WireCodec.bytes(bytes)), type.cql()));
    }
  }
}
