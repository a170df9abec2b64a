package io.widerow.ingest.http;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.decode.SnappyBlock;
import io.widerow.ingest.intake.Body;
import io.widerow.ingest.intake.GzipMembers;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;

/// Decompresses a body piece by piece, and checks the limits after each piece (zip bombs). A snappy
/// block begins with its length, which is checked before anything is allocated.
public final class Decompression {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int RATIO_FREE_BYTES = 1 << 20;
  private static final int ZSTD_WINDOW_LOG_MAX = 23; // 8 MiB
  private static final int GRPC_PREFIX_BYTES = 5;

  private Decompression() {}

  /// Takes off one layer after the other.
  ///
  /// @param packed is given back to its pool, or returned when nothing was around it
  /// @param bytesMax largest result of each layer
  /// @param ratioMax largest ratio of a result above 1 MiB to its compressed size
  /// @param claim claims credit before the result grows
  public static Body unpack(
      Body packed, List<BodyCoding> codings, int bytesMax, int ratioMax, ByteClaim claim)
      throws RequestRefused {
    Body body = packed;
    for (BodyCoding coding : codings) {
      if (coding == BodyCoding.GRPC) {
        if (!takePrefix(body)) {
          return body;
        }
        continue;
      }
      BodyCoding found = coding == BodyCoding.BY_SIGHT ? bySight(body) : coding;
      if (found == BodyCoding.BY_SIGHT) {
        continue;
      }
      Body outer = body;
      try {
        body =
            found == BodyCoding.SNAPPY
                ? snappy(outer, bytesMax, claim)
                : stream(outer, found, bytesMax, ratioMax, claim);
      } finally {
        outer.give();
      }
    }
    return body;
  }

  /// Gzip, zlib, or [BodyCoding#BY_SIGHT] for none of them.
  private static BodyCoding bySight(Body body) {
    int first = body.length() < 2 ? 0 : body.bytes()[0] & 0xff;
    int second = body.length() < 2 ? 0 : body.bytes()[1] & 0xff;
    if (first == 0x1f && second == 0x8b) {
      return BodyCoding.GZIP;
    }
    return first == 0x78 && DeflateBody.isZlib(first, second)
        ? BodyCoding.DEFLATE
        : BodyCoding.BY_SIGHT;
  }

  /// Removes the prefix of the only message of a gRPC request.
  ///
  /// @return whether the message is compressed
  private static boolean takePrefix(Body body) throws RequestRefused {
    byte[] bytes = body.bytes();
    int flag = body.length() < GRPC_PREFIX_BYTES ? -1 : bytes[0];
    long length = 0;
    for (int i = 1; i < GRPC_PREFIX_BYTES; i++) {
      length = (length << Byte.SIZE) | (bytes[i] & 0xff);
    }
    if (flag < 0 || flag > 1 || length != body.length() - GRPC_PREFIX_BYTES) {
      int sent = body.length();
      body.give();
      throw RequestRefused.bad("%d bytes are not one gRPC message".formatted(sent));
    }
    body.cutFront(GRPC_PREFIX_BYTES);
    return flag == 1;
  }

  private static Body snappy(Body packed, int bytesMax, ByteClaim claim) throws RequestRefused {
    Body body = Body.take();
    try {
      long length = SnappyBlock.length(packed.bytes(), 0, packed.length());
      if (length > bytesMax) {
        throw RequestRefused.tooLarge(bytesMax);
      }
      claim.claim((int) length);
      int at = body.reserve((int) length);
      SnappyBlock.unpack(packed.bytes(), 0, packed.length(), body.bytes(), at, (int) length);
      body.wrote((int) length);
      return body;
    } catch (SnappyBlock.Bad bad) {
      body.give();
      throw RequestRefused.bad("the body is not a valid snappy block: " + bad.getMessage());
    } catch (RequestRefused refused) {
      body.give();
      throw refused;
    }
  }

  private static Body stream(
      Body packed, BodyCoding coding, int bytesMax, int ratioMax, ByteClaim claim)
      throws RequestRefused {
    Body body = Body.take();
    try (InputStream raw = new ByteArrayInputStream(packed.bytes(), 0, packed.length());
        InputStream in = open(raw, coding)) {
      while (true) {
        claim.claim(CHUNK_BYTES);
        int at = body.reserve(CHUNK_BYTES);
        int count = in.read(body.bytes(), at, CHUNK_BYTES);
        if (count < 0) {
          return body;
        }
        body.wrote(count);
        requireLimits(body.length(), packed.length(), bytesMax, ratioMax);
      }
    } catch (IOException bad) {
      body.give();
      throw RequestRefused.bad("the body is not valid " + coding.shown());
    } catch (RequestRefused refused) {
      body.give();
      throw refused;
    }
  }

  private static void requireLimits(int bytes, int packedBytes, int bytesMax, int ratioMax)
      throws RequestRefused {
    if (bytes > bytesMax) {
      throw RequestRefused.tooLarge(bytesMax);
    }
    requireRatio(bytes, packedBytes, ratioMax);
  }

  /// @param bytes so far
  /// @param packedBytes that they came from
  static void requireRatio(long bytes, long packedBytes, int ratioMax) throws RequestRefused {
    if (bytes > RATIO_FREE_BYTES && bytes / ratioMax > packedBytes) {
      throw new RequestRefused(
          HttpStatus.REQUEST_ENTITY_TOO_LARGE,
          "the body unpacks to more than %d times its size".formatted(ratioMax));
    }
  }

  /// A body without one layer, unpacked as it is read.
  ///
  /// @param coding of bodies that have any length
  static InputStream open(InputStream raw, BodyCoding coding) throws IOException {
    return switch (coding) {
      case ZSTD -> new ZstdInputStreamNoFinalizer(raw).setLongMax(ZSTD_WINDOW_LOG_MAX);
      case DEFLATE -> new DeflateBody(raw);
      case GZIP -> new GzipMembers(raw);
      case SNAPPY, BY_SIGHT, GRPC -> throw new IllegalArgumentException(coding.shown());
    };
  }

  /// Claims credit for bytes before they are used.
  @FunctionalInterface
  public interface ByteClaim {
    void claim(int bytes) throws RequestRefused;
  }
}
