package io.widerow.cql.key;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.widerow.cql.schema.Column;
import io.widerow.cql.schema.Column.Kind;
import io.widerow.cql.schema.Table;
import io.widerow.cql.schema.TableOptions;
import io.widerow.cql.type.CqlType;
import io.widerow.cql.type.Empty;
import io.widerow.cql.type.NativeType;
import io.widerow.cql.type.ValueOrder;
import io.widerow.cql.type.WireCodec;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.LocalDate;
import java.time.LocalTime;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.UUID;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/// Goal: keys lie in the order of their values, and can be read back. Method: for each type, values
/// at every boundary and random ones as the first of two clustering columns; each pair is compared
/// as bytes and as values, in both directions, and each key is read.
class KeyOrderTest {
  private static final int RANDOM = 60;
  private static final List<NativeType> SIMPLE =
      Arrays.stream(NativeType.values())
          .filter(type -> type != NativeType.COUNTER && type != NativeType.DURATION)
          .toList();

  static Stream<CqlType> types() {
    CqlType fields =
        new CqlType.UserType(
            "k",
            "u",
            List.of(
                new CqlType.Field("a", NativeType.TEXT), new CqlType.Field("b", NativeType.INT)),
            true);
    return Stream.concat(
        SIMPLE.stream(),
        Stream.of(
            new CqlType.ListOf(NativeType.TEXT, true),
            new CqlType.SetOf(NativeType.VARINT, true),
            new CqlType.MapOf(NativeType.INT, NativeType.BLOB, true),
            new CqlType.TupleOf(List.of(NativeType.DECIMAL, NativeType.TEXT)),
            new CqlType.VectorOf(NativeType.FLOAT, 2),
            new CqlType.VectorOf(NativeType.TEXT, 3),
            fields));
  }

  @ParameterizedTest
  @MethodSource("types")
  void bytesHaveTheOrderOfValues(CqlType type) {
    List<Object> values = values(type);
    for (boolean descending : List.of(false, true)) {
      TableKeys keys = keys(type, descending);
      byte[] partition = keys.partition(List.of("p"));
      for (Object one : values) {
        byte[] mine = keys.row(partition, List.of(one, 1));
        for (Object other : values) {
          int wanted = Integer.signum(order(type, one, other));
          int found = Arrays.compareUnsigned(mine, keys.row(partition, List.of(other, 1)));
          assertEquals(
              descending ? -wanted : wanted,
              Integer.signum(found),
              () -> one + " and " + other + (descending ? ", descending" : ""));
        }
        TableKeys.Parts parts = keys.read(ByteBuffer.wrap(mine));
        assertEquals(
            0,
            order(type, one, Objects.requireNonNull(parts.clustering()).getFirst()),
            () -> "read: " + one);
        assertEquals(List.of("p"), parts.partition());
      }
    }
  }

  /// NaNs are one value, and zeros have a sign, as in keys.
  private static int order(CqlType type, Object one, Object other) {
    return ValueOrder.compare(type, one, other);
  }

  private static TableKeys keys(CqlType type, boolean descending) {
    List<Column> columns =
        List.of(
            new Column("p", NativeType.TEXT, Kind.PARTITION_KEY, 0, false, 1),
            new Column("c", type, Kind.CLUSTERING, 0, descending, 2),
            new Column("d", NativeType.INT, Kind.CLUSTERING, 1, true, 3));
    return TableKeys.of(
        new Table("k", "t", columns, TableOptions.NONE, new Table.Stored(7, new UUID(0, 1), 4)));
  }

  private static List<Object> values(CqlType type) {
    SplittableRandom random = new SplittableRandom(type.cql().hashCode());
    if (type instanceof NativeType simple) {
      List<Object> values = new ArrayList<>(boundaries(simple));
      if (isPerhapsEmpty(simple)) {
        values.add(Empty.VALUE);
      }
      for (int i = 0; i < RANDOM; i++) {
        values.add(random(simple, random));
      }
      return values;
    }
    List<Object> values = new ArrayList<>();
    for (int i = 0; i < RANDOM; i++) {
      values.add(random(type, random));
    }
    return values;
  }

  private static boolean isPerhapsEmpty(NativeType type) {
    return type.isPerhapsEmpty() && !type.isText() && type != NativeType.BLOB;
  }

  private static List<Object> boundaries(NativeType type) {
    return switch (type) {
      case ASCII, TEXT -> List.of("", "\0", "\0\0", "a", "a\0", "a\0b", "ab", "\u007f");
      case BLOB -> List.of(blob(), blob(0), blob(0, 0), blob(0, 255), blob(255), blob(255, 0));
      case TINYINT -> List.of((byte) -128, (byte) -1, (byte) 0, (byte) 127);
      case SMALLINT -> List.of(Short.MIN_VALUE, (short) -1, (short) 0, Short.MAX_VALUE);
      case INT -> List.of(Integer.MIN_VALUE, -256, -1, 0, 1, 255, 256, Integer.MAX_VALUE);
      case BIGINT -> List.of(Long.MIN_VALUE, -1L, 0L, 1L, Long.MAX_VALUE);
      case FLOAT -> List.of(-0.0f, 0.0f, Float.NaN, Float.MAX_VALUE, -1e-9f);
      case DOUBLE ->
          List.of(Double.NEGATIVE_INFINITY, -0.0, 0.0, Double.NaN, Double.POSITIVE_INFINITY);
      case DECIMAL ->
          Stream.of("0", "1", "-1", "1.1", "1.10", "10", "9.99", "-9.99", "1e-40", "-1e40", "0.00")
              .<Object>map(BigDecimal::new)
              .toList();
      case VARINT ->
          Stream.of(
                  "0",
                  "1",
                  "-1",
                  "127",
                  "128",
                  "-128",
                  "-129",
                  "9".repeat(400),
                  "-" + "9".repeat(400))
              .<Object>map(BigInteger::new)
              .toList();
      case UUID -> List.of(new UUID(0, 0), new UUID(0x0000_0000_0000_1000L, -1), new UUID(-1, 0));
      default -> List.of();
    };
  }

  private static ByteBuffer blob(int... bytes) {
    ByteBuffer blob = ByteBuffer.allocate(bytes.length);
    for (int each : bytes) {
      blob.put((byte) each);
    }
    return blob.flip();
  }

  private static Object random(CqlType type, SplittableRandom random) {
    int size = random.nextInt(3);
    return switch (type) {
      case NativeType simple when isPerhapsEmpty(simple) && random.nextInt(8) == 0 -> Empty.VALUE;
      case NativeType simple -> random(simple, random);
      case CqlType.ListOf(CqlType element, _) -> several(element, size, random);
      case CqlType.SetOf(CqlType element, _) ->
          WireCodec.sorted(element, several(element, size, random));
      case CqlType.MapOf(CqlType key, CqlType value, _) ->
          WireCodec.sorted(key, several(key, size, random), several(value, size, random));
      case CqlType.VectorOf(CqlType element, int dimensions) ->
          Stream.generate(() -> random((NativeType) element, random)).limit(dimensions).toList();
      case CqlType.TupleOf(List<CqlType> types) -> fields(types, random);
      case CqlType.UserType user -> fields(user.types(), random);
    };
  }

  private static List<Object> several(CqlType element, int size, SplittableRandom random) {
    return Stream.generate(() -> random(element, random)).limit(size).toList();
  }

  private static List<@Nullable Object> fields(List<CqlType> types, SplittableRandom random) {
    List<@Nullable Object> values = new ArrayList<>();
    types.forEach(type -> values.add(random.nextInt(4) == 0 ? null : random(type, random)));
    return values;
  }

  private static Object random(NativeType type, SplittableRandom random) {
    return switch (type) {
      case ASCII, TEXT -> text(random);
      case BLOB -> ByteBuffer.wrap(bytes(random, random.nextInt(4)));
      case TINYINT -> (byte) random.nextInt();
      case SMALLINT -> (short) random.nextInt();
      case INT -> random.nextInt();
      case BIGINT -> random.nextLong();
      case TIMESTAMP -> Instant.ofEpochMilli(random.nextLong() >> random.nextInt(64));
      case FLOAT -> Float.intBitsToFloat(random.nextInt());
      case DOUBLE -> Double.longBitsToDouble(random.nextLong());
      case BOOLEAN -> random.nextBoolean();
      case DATE -> LocalDate.ofEpochDay(random.nextInt());
      case TIME -> LocalTime.ofNanoOfDay(random.nextLong(86_400_000_000_000L));
      case INET -> address(random);
      case UUID -> new UUID(random.nextLong(), random.nextLong());
      case TIMEUUID -> new UUID((random.nextLong() & ~0xf000L) | 0x1000L, random.nextLong());
      case VARINT -> new BigInteger(bytes(random, 1 + random.nextInt(9)));
      case DECIMAL ->
          new BigDecimal(
              new BigInteger(bytes(random, 1 + random.nextInt(3))), random.nextInt(7) - 3);
      case COUNTER, DURATION -> throw new AssertionError("no key: " + type);
    };
  }

  private static String text(SplittableRandom random) {
    StringBuilder text = new StringBuilder();
    int length = random.nextInt(4);
    for (int i = 0; i < length; i++) {
      text.append("\0a~".charAt(random.nextInt(3)));
    }
    return text.toString();
  }

  private static byte[] bytes(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    random.nextBytes(bytes);
    return bytes;
  }

  private static InetAddress address(SplittableRandom random) {
    try {
      return InetAddress.getByAddress(bytes(random, random.nextBoolean() ? 4 : 16));
    } catch (UnknownHostException wrongLength) {
      throw new AssertionError(wrongLength);
    }
  }

  private static TableKeys tokens(NativeType... types) {
    List<Column> columns = new ArrayList<>();
    for (int i = 0; i < types.length; i++) {
      columns.add(new Column("p" + i, types[i], Kind.PARTITION_KEY, i, false, i + 1));
    }
    return TableKeys.of(
        new Table("k", "t", columns, TableOptions.NONE, new Table.Stored(1, new UUID(0, 1), 9)));
  }

  @Test
  void tokensOfCassandra() {
    TableKeys one = tokens(NativeType.INT);
    assertEquals(-4_069_959_284_402_364_209L, one.token(List.of(1)));
    assertEquals(-7_509_452_495_886_106_294L, one.token(List.of(5)));
    TableKeys two = tokens(NativeType.INT, NativeType.TEXT);
    assertEquals(746_584_927_563_629_270L, two.token(List.of(1, "x")));
  }

  @Test
  void aDecimalInThePartitionKeyKeepsItsForm() {
    TableKeys keys = tokens(NativeType.DECIMAL);
    for (String text : List.of("1.1", "1.10", "-0.00")) {
      BigDecimal value = new BigDecimal(text);
      byte[] header = TableKeys.header(keys.partition(List.of(value)));
      assertEquals(List.of(value), keys.read(ByteBuffer.wrap(header)).partition());
    }
  }
}
