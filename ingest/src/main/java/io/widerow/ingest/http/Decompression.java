package io.widerow.ingest.http;

import com.github.luben.zstd.ZstdInputStreamNoFinalizer;
import com.linecorp.armeria.common.HttpStatus;
import io.widerow.ingest.intake.Body;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/// Decompresses a body piece by piece, and checks the limits after each piece (zip bombs).
public final class Decompression {
  private static final int CHUNK_BYTES = 64 << 10;
  private static final int RATIO_FREE_BYTES = 1 << 20;
  private static final int ZSTD_WINDOW_LOG_MAX = 23; // 8 MiB

  private Decompression() {}

  /// Whether [#unpack] supports the encoding.
  static boolean knows(String encoding) {
    return encoding.equals("gzip") || encoding.equals("x-gzip") || encoding.equals("zstd");
  }

  /// @param bytesMax largest result
  /// @param ratioMax largest ratio of a result above 1 MiB to the size of `packed`
  /// @param claim claims credit before the result grows
  public static Body unpack(
      Body packed, String encoding, int bytesMax, int ratioMax, ByteClaim claim)
      throws RequestRefused {
    Body body = Body.take();
    try (InputStream in = open(packed, encoding)) {
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
      throw new RequestRefused(HttpStatus.BAD_REQUEST, "the body is not valid " + encoding);
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
    if (bytes > RATIO_FREE_BYTES && bytes / ratioMax > packedBytes) {
      throw new RequestRefused(
          HttpStatus.REQUEST_ENTITY_TOO_LARGE,
          "the body unpacks to more than %d times its size".formatted(ratioMax));
    }
  }

  private static InputStream open(Body packed, String encoding) throws IOException {
    if (encoding.equals("zstd")) {
      InputStream raw = new ByteArrayInputStream(packed.bytes(), 0, packed.length());
      return new ZstdInputStreamNoFinalizer(raw).setLongMax(ZSTD_WINDOW_LOG_MAX);
    }
    return new GzipMembers(packed.bytes(), packed.length());
  }

  /// Claims credit for bytes before they are used.
  @FunctionalInterface
  public interface ByteClaim {
    void claim(int bytes) throws RequestRefused;
  }
}
