package io.widerow.ingest.http;

import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import io.widerow.ingest.decode.Utf16Text;
import io.widerow.ingest.intake.Body;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.Charset;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CoderResult;
import java.nio.charset.StandardCharsets;
import org.jspecify.annotations.Nullable;

/// Bodies whose `Content-Type` names another charset than UTF-8, as UTF-8.
final class Transcoding {
  private static final int CHARS = 8 << 10;

  private Transcoding() {}

  /// The charset of a body; null when it needs no conversion.
  ///
  /// @throws RequestRefused when this machine does not know it
  static @Nullable Charset of(@Nullable MediaType contentType) throws RequestRefused {
    if (contentType == null) {
      return null;
    }
    try {
      Charset charset = contentType.charset(StandardCharsets.UTF_8);
      boolean none =
          charset.equals(StandardCharsets.UTF_8) || charset.equals(StandardCharsets.US_ASCII);
      return none ? null : charset;
    } catch (IllegalArgumentException | IllegalStateException unknown) {
      throw new RequestRefused(
          HttpStatus.UNSUPPORTED_MEDIA_TYPE,
          "the charset of Content-Type is unknown: " + contentType);
    }
  }

  /// The charset that the byte order mark of a body names; null for UTF-8 and for none.
  static @Nullable Charset marked(Body body) {
    if (!Utf16Text.isMarked(body.bytes(), body.length())) {
      return null;
    }
    return Utf16Text.isBigEndian(body.bytes())
        ? StandardCharsets.UTF_16BE
        : StandardCharsets.UTF_16LE;
  }

  /// A body as UTF-8. Bytes that the charset does not have stay as they are: the decoder of the
  /// line finds and escapes them.
  ///
  /// @param bytesMax largest body, also as UTF-8
  /// @param claim takes credit before memory is used
  static Body toUtf8(Body body, Charset charset, int bytesMax, Decompression.ByteClaim claim)
      throws RequestRefused {
    Body out = Body.take();
    try {
      ByteBuffer in = ByteBuffer.wrap(body.bytes(), 0, body.length());
      CharBuffer chars = CharBuffer.allocate(CHARS);
      CharsetDecoder decoder = charset.newDecoder();
      boolean flushing = false;
      while (true) {
        CoderResult result = flushing ? decoder.flush(chars) : decoder.decode(in, chars, true);
        append(out, chars.flip().toString().getBytes(StandardCharsets.UTF_8), bytesMax, claim);
        chars.clear();
        if (result.isError()) {
          byte[] wrong = new byte[result.length()];
          in.get(wrong);
          append(out, wrong, bytesMax, claim);
        } else if (result.isUnderflow()) {
          if (flushing) {
            return out;
          }
          flushing = true;
        }
      }
    } catch (RequestRefused refused) {
      out.give();
      throw refused;
    }
  }

  private static void append(Body out, byte[] bytes, int bytesMax, Decompression.ByteClaim claim)
      throws RequestRefused {
    if (bytes.length > bytesMax - out.length()) {
      throw RequestRefused.tooLarge(bytesMax);
    }
    claim.claim(bytes.length);
    int at = out.reserve(bytes.length); // before bytes(): it may replace the array
    System.arraycopy(bytes, 0, out.bytes(), at, bytes.length);
    out.wrote(bytes.length);
  }
}
