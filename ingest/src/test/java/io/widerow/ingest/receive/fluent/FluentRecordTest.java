package io.widerow.ingest.receive.fluent;

import static io.widerow.ingest.receive.fluent.FluentMessages.pack;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import io.widerow.ingest.Decoding;
import io.widerow.ingest.receive.fluent.FluentMessages.Raw;
import io.widerow.ingest.receive.fluent.FluentMessages.Time;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.msgpack.core.MessagePack;
import org.msgpack.core.MessageUnpacker;
import org.msgpack.value.Value;

/// Goal: a record becomes the attributes of its event, and a time its time; the reader of msgpack
/// reads what the library of its authors writes. Method: the mapping, case by case; random values
/// through both.
class FluentRecordTest {
  private static Map<String, @Nullable Object> map(@Nullable Object... namesAndValues) {
    Map<String, @Nullable Object> map = new LinkedHashMap<>();
    for (int i = 0; i < namesAndValues.length; i += 2) {
      map.put(String.valueOf(namesAndValues[i]), namesAndValues[i + 1]);
    }
    return map;
  }

  private static String attributes(Object record) {
    Decoding.Result result = Decoding.of(pack(List.of("t", 1, record)), FluentDecoding::decode);
    if (result.refused().count() > 0) {
      return result.refused().reason(0);
    }
    return result.stored().getFirst().attributes().toString();
  }

  @Test
  void values() {
    assertEquals(
        "{a=1, b=-5, c=0.25, d=true, e=x, f=18446744073709551615, h={, i=7.000000009}",
        attributes(
            map(
                "a",
                1,
                "b",
                -5,
                "c",
                0.25,
                "d",
                true,
                "e",
                "x",
                "f",
                new BigInteger("18446744073709551615"),
                "g",
                null,
                "h",
                new byte[] {'{'},
                "i",
                new Time(7, 9))));
    assertEquals("{a=0.5, b=9223372036854775807}", attributes(map("a", 0.5f, "b", Long.MAX_VALUE)));
    assertEquals(
        "{a.b=1, a.c.d=x, e=[1,[\"y\",null,{\"k\":0.5}],true]}",
        attributes(
            map(
                "a", map("b", 1, "c", map("d", "x"), "n", map()),
                "e", List.of(1, java.util.Arrays.asList("y", null, map("k", 0.5)), true))));
  }

  @Test
  void namesOfOtherTypes() {
    Map<Object, Object> record = new LinkedHashMap<>();
    record.put(7, "a");
    record.put(true, "b");
    record.put("k".getBytes(StandardCharsets.US_ASCII), "c");
    assertEquals("{7=a, k=c, true=b}", attributes(record));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      value = {
        "message,m,log,l|{body=m, log=l}",
        "log,l,message,m|{body=m, log=l}",
        "body,b,msg,x,log,l|{attributes.body=b, body=l, msg=x}",
        "msg,x,body,b|{attributes.body=b, body=x}",
        "body,b|{body=b}",
        "id,i,ts,t,type,y|{id=i, ts=t, type=y}",
        "other,o|{other=o}"
      })
  void theText(String members, String expected) {
    assertEquals(expected, attributes(map((Object[]) members.split(",", -1))));
  }

  @Test
  void aTextThatIsNoStringIsAnAttribute() {
    assertEquals("{body=l, message=5}", attributes(map("message", 5, "log", "l")));
    assertEquals("{a.message=x}", attributes(map("a", map("message", "x"))));
  }

  @Test
  void equalNamesAreAllKept() {
    byte[] record = HexFormat.of().parseHex("83a16101a16102a1620a");
    assertEquals("{a=1, attributes.a=2, b=10}", attributes(Raw.of(record)));
  }

  @Test
  void whatIsNotUtf8IsEscaped() {
    byte[] record = HexFormat.of().parseHex("82a3616263a2e978a7" + "6d657373616765" + "a1ff");
    assertEquals("{abc=\\xE9x, body=\\xFF, widerow.escaped=2}", attributes(Raw.of(record)));
  }

  /// The sender has its acknowledgement, and would lose a refused event.
  @Test
  void aNameThatNoAttributeCanHaveCostsNothing() {
    assertEquals(
        "{body=b, widerow.member={\"\":5,\"\":\"t\"}}",
        attributes(
            Raw.of(HexFormat.of().parseHex("83a0" + "05" + "a3" + "6c6f67" + "a162" + "a0a174"))));
    String name = "n".repeat(256);
    assertEquals(
        "{k=1, widerow.member={\"%s\":{\"a\":[1]}}}".formatted(name),
        attributes(map("k", 1, name, map("a", List.of(1)))));
    String half = "h".repeat(200);
    assertEquals(
        "{%s.a=1, widerow.member={\"%s.%s\":0.5}}".formatted(half, half, half),
        attributes(map(half, map("a", 1, half, 0.5))));
    assertEquals("{.a=1}", attributes(map("", map("a", 1))));
    byte[] latin = HexFormat.of().parseHex("81" + "d9ff" + "e9".repeat(255) + "01");
    assertEquals(
        "{widerow.escaped=255, widerow.member={\"%s\":1}}".formatted("\\\\xE9".repeat(255)),
        attributes(Raw.of(latin)));
  }

  @Test
  void metadataOfFluentBit() {
    byte[] message =
        pack(List.of("t", List.of(List.of(List.of(new Time(1, 2), map("a", 1)), map("b", 2)))));
    Decoding.Result result = Decoding.of(message, FluentDecoding::decode);
    assertEquals("{b=2, metadata.a=1}", result.stored().getFirst().attributes().toString());
    assertEquals(1_000_000_002, result.stored().getFirst().timeNanos());
  }

  private static long time(Object packed) {
    Decoding.Result result =
        Decoding.of(pack(List.of("t", packed, map("a", 1))), FluentDecoding::decode);
    return result.stored().getFirst().timeNanos();
  }

  @ParameterizedTest
  @CsvSource({
    "d7006553f10007 5bcd15, 1700000000123456789",
    "c708006553f100075bcd15, 1700000000123456789",
    "ce6553f100, 1700000000000000000",
    "cb41d954fc401f9e67, 1700000000494043000",
    "c0, 1700000000000000000",
    "00, 1700000000000000000",
    "d7000000000000000000, 1700000000000000000"
  })
  void times(String hex, long nanos) {
    // in this test events arrive at 1700000000 s
    assertEquals(nanos, time(Raw.of(HexFormat.of().parseHex(hex.replace(" ", "")))));
  }

  @Test
  void refusalsNameTheFieldAndTheByte() {
    assertEquals("the record is no map, but TEXT at byte 4", attributes("x"));
    byte[] metrics = pack(List.of("t", new byte[] {1}, map("fluent_signal", 1)));
    Decoding.Result signal = Decoding.of(metrics, FluentDecoding::decode);
    assertTrue(signal.refused().reason(0).startsWith("fluent_signal 1"));
  }

  private static @Nullable Object random(SplittableRandom random, int depth) {
    return switch (random.nextInt(depth > 4 ? 8 : 10)) {
      case 0 -> null;
      case 1 -> random.nextBoolean();
      case 2 -> random.nextLong() >> random.nextInt(64);
      case 3 -> BigInteger.ONE.shiftLeft(63).add(BigInteger.valueOf(random.nextInt(9)));
      case 4 -> random.nextDouble();
      case 5 -> (float) random.nextInt(99);
      case 6 -> "x".repeat(random.nextInt(8) == 0 ? random.nextInt(70_000) : random.nextInt(40));
      case 7 ->
          random.nextBoolean() ? new byte[random.nextInt(300)] : new Time(random.nextInt(99), 1);
      case 8 -> {
        List<@Nullable Object> list = new ArrayList<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          list.add(random(random, depth + 1));
        }
        yield list;
      }
      default -> {
        Map<String, @Nullable Object> map = new LinkedHashMap<>();
        for (int i = random.nextInt(20); i > 0; i--) {
          map.put("k" + i, random(random, depth + 1));
        }
        yield map;
      }
    };
  }

  /// Compares the values that the reader reads with those of the library.
  @ParameterizedTest(name = "seed {0}")
  @ValueSource(longs = {1, 2, 3, 4})
  void readsWhatTheLibraryWrites(long seed) throws IOException, MsgpackReader.Bad {
    SplittableRandom random = new SplittableRandom(seed);
    for (int round = 0; round < 300; round++) {
      byte[] packed = pack(random(random, 0));
      MsgpackReader reader = new MsgpackReader();
      reader.show(packed, 0, packed.length, 0);
      reader.skip();
      assertEquals(packed.length, reader.at);
      for (int cut = 0; cut < Math.min(packed.length, 50); cut++) {
        reader.show(packed, 0, cut, 0);
        boolean whole = true;
        try {
          reader.skip();
        } catch (MsgpackReader.Bad _) {
          whole = false;
        }
        assertEquals(false, whole, "cut at " + cut);
      }
      reader.show(packed, 0, packed.length, 0);
      try (MessageUnpacker oracle = MessagePack.newDefaultUnpacker(packed)) {
        same(oracle.unpackValue(), reader);
      }
    }
  }

  private static void same(Value value, MsgpackReader reader) throws MsgpackReader.Bad {
    MsgpackReader.Kind kind = reader.next();
    long length = reader.length;
    switch (value.getValueType()) {
      case NIL -> assertEquals(MsgpackReader.Kind.NIL, kind);
      case BOOLEAN -> assertEquals(value.asBooleanValue().getBoolean(), reader.truth);
      case INTEGER ->
          assertEquals(
              value.toString(),
              kind == MsgpackReader.Kind.UNSIGNED
                  ? Long.toUnsignedString(reader.whole)
                  : Long.toString(reader.whole));
      case FLOAT -> assertEquals(value.asFloatValue().toDouble(), reader.fraction);
      case STRING, BINARY ->
          assertEquals(
              new String(value.asRawValue().asByteArray(), StandardCharsets.ISO_8859_1),
              new String(reader.bytes(), reader.offset, (int) length, StandardCharsets.ISO_8859_1));
      case EXTENSION -> assertEquals(value.asExtensionValue().getType(), reader.extension);
      case ARRAY -> {
        assertEquals(value.asArrayValue().size(), length);
        for (Value each : value.asArrayValue()) {
          same(each, reader);
        }
      }
      case MAP -> {
        assertEquals(value.asMapValue().size(), length);
        for (Value each : value.asMapValue().getKeyValueArray()) {
          same(each, reader);
        }
      }
    }
  }
}
