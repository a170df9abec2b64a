package io.widerow.ingest.receive;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.sun.management.ThreadMXBean;
import io.widerow.ingest.Decoding;
import io.widerow.ingest.receive.datadog.DatadogFuzz;
import io.widerow.ingest.receive.fluent.FluentDecoding;
import io.widerow.ingest.receive.json.JsonLinesDecoder;
import io.widerow.ingest.receive.splunk.HecFuzz;
import java.io.ByteArrayOutputStream;
import java.lang.management.ManagementFactory;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/// Goal: a small body with a long name around many members cannot fill the heap. Method: an object
/// of many members in another one with a long name, to each decoder that joins names; what its
/// thread allocates is counted.
class JoinedNamesTest {
  private static final int MEMBERS = 200_000;
  private static final int NAME_BYTES = 240;
  private static final long ALLOCATED_MAX = 32L << 20; // the joined names have 48 MB

  /// Decoders that join names.
  enum Protocol {
    JSON {
      @Override
      Decoding.Result decode(String object) {
        return counted(
            object.getBytes(UTF_8),
            (body, limit, batch) -> new JsonLinesDecoder("t").decode(body, 0, limit, batch));
      }
    },
    DATADOG {
      @Override
      Decoding.Result decode(String object) {
        return counted(object.getBytes(UTF_8), DatadogFuzz::decode);
      }
    },
    HEC {
      @Override
      Decoding.Result decode(String object) {
        return counted(("{\"event\":" + object + "}").getBytes(UTF_8), HecFuzz::decode);
      }
    },
    FLUENT {
      @Override
      Decoding.Result decode(String object) {
        return counted(fluent(), FluentDecoding::decode);
      }
    };

    abstract Decoding.Result decode(String object);
  }

  private static long allocated; // by the decoder

  private static Decoding.Result counted(byte[] event, Decoding.Decoder decoder) {
    var threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    return Decoding.of(
        event,
        (body, limit, batch) -> {
          long before = threads.getCurrentThreadAllocatedBytes();
          decoder.decode(body, limit, batch);
          allocated = threads.getCurrentThreadAllocatedBytes() - before;
        });
  }

  private static byte[] fluent() {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.writeBytes(new byte[] {(byte) 0x93, (byte) 0xa1, 't', 1, (byte) 0x81});
    out.writeBytes(new byte[] {(byte) 0xd9, (byte) NAME_BYTES});
    out.writeBytes("n".repeat(NAME_BYTES).getBytes(UTF_8));
    out.writeBytes(new byte[] {(byte) 0xdf, 0, MEMBERS >> 16, MEMBERS >> 8 & 0xff, MEMBERS & 0xff});
    for (int i = 0; i < MEMBERS; i++) {
      out.writeBytes(new byte[] {(byte) 0xa1, 'k', 1});
    }
    return out.toByteArray();
  }

  @ParameterizedTest
  @EnumSource
  void aNameAroundManyMembersIsNotCopiedForEach(Protocol protocol) {
    StringBuilder json = new StringBuilder("{\"").append("n".repeat(NAME_BYTES)).append("\":{");
    for (int i = 0; i < MEMBERS; i++) {
      json.append(i == 0 ? "" : ",").append("\"k\":1");
    }
    Decoding.Result result = protocol.decode(json.append("}}").toString());
    assertEquals(1, result.refused().count());
    assertTrue(
        result.refused().reason(0).contains("the event is larger than the limit"),
        () -> result.refused().reason(0));
    assertTrue(allocated < ALLOCATED_MAX, () -> allocated + " bytes");
  }
}
