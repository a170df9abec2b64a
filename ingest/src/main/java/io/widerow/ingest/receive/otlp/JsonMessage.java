package io.widerow.ingest.receive.otlp;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// The members of one message of OTLP in JSON, and the fields of protobuf that they stand for. Only
/// stored members are listed; all others are skipped.
///
/// Source: opentelemetry-proto 1.11, `docs/specification.md`, "JSON Protobuf Encoding"; protobuf,
/// "ProtoJSON Format".
///
/// - Threads: any, once it is built.
final class JsonMessage {
  /// The encoding of a member's value, in JSON and in protobuf.
  enum Kind {
    TEXT,
    BASE64,
    HEX,
    BOOLEAN,
    DOUBLE,
    INT64, // also as sfixed64
    UINT64, // also as fixed64
    TIME, // of the event, as fixed64
    OTHER_TIME, // as fixed64
    UINT32, // also as fixed32
    SINT32,
    ENUM,
    MESSAGE
  }

  /// The role of a message in its request.
  enum Role {
    PLAIN,
    FRAME, // is around records: an error in it refuses them
    ALONE, // a record: an error in it refuses it alone
    NESTING // a list or a map of values, which may have others in it
  }

  /// A member of a message.
  static final class Member {
    final String name;
    final byte[] bytes;
    final int field;
    final int index; // in its message
    final Kind kind;
    final boolean fixed; // of 4 or 8 bytes in protobuf
    final boolean many;
    final @Nullable JsonMessage type;
    final String[] texts; // of an enum, from 0 on

    private Member(
        String name,
        int field,
        int index,
        Kind kind,
        boolean fixed,
        boolean many,
        @Nullable JsonMessage type,
        String... texts) {
      this.name = name;
      this.bytes = name.getBytes(StandardCharsets.US_ASCII);
      this.field = field;
      this.index = index;
      this.kind = kind;
      this.fixed = fixed;
      this.many = many;
      this.type = type;
      this.texts = texts;
    }

    boolean isNamed(byte[] source, int offset, int length) {
      return bytes.length == length
          && Arrays.equals(bytes, 0, length, source, offset, offset + length);
    }
  }

  final Role role;

  /// The field with the attributes of the message; 0 when it has none.
  int attributes;

  private Member[] members = {};

  JsonMessage(Role role) {
    this.role = role;
  }

  /// The member of a name; null when there is none that is stored. Members usually come in one
  /// order.
  ///
  /// @param expected index of the member that is looked at first
  @Nullable Member find(byte[] source, int offset, int length, int expected) {
    for (int i = expected; i < members.length; i++) {
      if (members[i].isNamed(source, offset, length)) {
        return members[i];
      }
    }
    for (int i = 0; i < Math.min(expected, members.length); i++) {
      if (members[i].isNamed(source, offset, length)) {
        return members[i];
      }
    }
    return null;
  }

  /// The member that is the records, or is around them. Only for a frame.
  Member records() {
    for (Member member : members) {
      JsonMessage type = member.type;
      if (member.many && type != null && (type.role == Role.FRAME || type.role == Role.ALONE)) {
        return member;
      }
    }
    throw new IllegalStateException("a frame without records");
  }

  private JsonMessage add(
      int field,
      String name,
      Kind kind,
      boolean fixed,
      boolean many,
      @Nullable JsonMessage type,
      String... texts) {
    int count = members.length;
    members = Arrays.copyOf(members, count + 1);
    members[count] = new Member(name, field, count, kind, fixed, many, type, texts);
    return this;
  }

  JsonMessage text(int field, String name) {
    return add(field, name, Kind.TEXT, false, false, null);
  }

  /// A number that is a varint in protobuf, or anything else but a message.
  JsonMessage value(int field, String name, Kind kind) {
    return add(field, name, kind, false, false, null);
  }

  /// A number of 4 or 8 bytes.
  JsonMessage fixed(int field, String name, Kind kind) {
    return add(field, name, kind, true, false, null);
  }

  /// An array of numbers, packed.
  JsonMessage numbers(int field, String name, Kind kind, boolean fixed) {
    return add(field, name, kind, fixed, true, null);
  }

  JsonMessage choice(int field, String name, String... texts) {
    return add(field, name, Kind.ENUM, false, false, null, texts);
  }

  JsonMessage message(int field, String name, JsonMessage type) {
    return add(field, name, Kind.MESSAGE, false, false, type);
  }

  JsonMessage messages(int field, String name, JsonMessage type) {
    return add(field, name, Kind.MESSAGE, false, true, type);
  }

  JsonMessage attributes(int field, String name, JsonMessage keyValue) {
    attributes = field;
    return messages(field, name, keyValue);
  }
}
