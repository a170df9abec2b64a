package io.widerow.query.logql;

import java.math.BigInteger;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/// Addresses of IPv4 or IPv6 that `ip("...")` names: one, a range `a-b`, or those of a prefix
/// `a/24`. Finds whole addresses in a line: `3.180.71.3` is not in `93.180.71.3`.
///
/// - Threads: any; immutable.
public final class IpRange {
  private static final int IPV4_BYTES = 4;
  private static final int IPV6_BYTES = 16;
  private static final int GROUPS = 8;
  private static final String IPV4 = "0123456789.";
  private static final String IPV6 = "0123456789abcdefABCDEF:.";
  private static final int ADDRESS_CHARS_MAX = 45;

  private final String text;
  private final byte[] least; // 4 or 16 bytes
  private final byte[] greatest;

  private IpRange(String text, byte[] least, byte[] greatest) {
    this.text = text;
    this.least = least;
    this.greatest = greatest;
  }

  /// As it is written.
  String text() {
    return text;
  }

  /// The addresses of a text; null when it names none.
  static @Nullable IpRange parse(String text) {
    byte[] one = address(text);
    if (one != null) {
      return new IpRange(text, one, one);
    }
    int slash = text.indexOf('/');
    int dash = text.indexOf('-');
    if (slash >= 0) {
      return prefix(text, text.substring(0, slash), text.substring(slash + 1));
    }
    byte[] first = dash < 0 ? null : address(text.substring(0, dash).strip());
    byte[] last = dash < 0 ? null : address(text.substring(dash + 1).strip());
    boolean isRange =
        first != null
            && last != null
            && first.length == last.length
            && Arrays.compareUnsigned(first, last) <= 0;
    return isRange && first != null && last != null ? new IpRange(text, first, last) : null;
  }

  private static @Nullable IpRange prefix(String text, String address, String bits) {
    byte[] of = address(address);
    if (of == null || !bits.matches("0|[1-9]\\d{0,2}")) {
      return null;
    }
    int length = Integer.parseInt(bits);
    if (length > 8 * of.length) {
      return null;
    }
    byte[] least = of.clone();
    byte[] greatest = of.clone();
    for (int bit = length; bit < 8 * of.length; bit++) {
      int mask = 0x80 >> (bit % 8);
      least[bit / 8] &= (byte) ~mask;
      greatest[bit / 8] |= (byte) mask;
    }
    return new IpRange(text, least, greatest);
  }

  /// The bytes of an address; null when the text is none.
  private static byte @Nullable [] address(String text) {
    return text.indexOf(':') >= 0 ? ipv6(text) : ipv4(text);
  }

  private static byte @Nullable [] ipv4(String text) {
    String[] parts = text.split("\\.", -1);
    byte[] bytes = new byte[IPV4_BYTES];
    if (parts.length != IPV4_BYTES) {
      return null;
    }
    for (int i = 0; i < IPV4_BYTES; i++) {
      if (!parts[i].matches("0|[1-9]\\d{0,2}") || Integer.parseInt(parts[i]) > 255) {
        return null;
      }
      bytes[i] = (byte) Integer.parseInt(parts[i]);
    }
    return bytes;
  }

  private static byte @Nullable [] ipv6(String text) {
    int gap = text.indexOf("::");
    if (gap < 0) {
      byte[] all = groups(text);
      return all != null && all.length == IPV6_BYTES ? all : null;
    }
    byte[] head = groups(text.substring(0, gap));
    byte[] tail = groups(text.substring(gap + 2));
    if (head == null || tail == null || head.length + tail.length >= IPV6_BYTES) {
      return null;
    }
    byte[] bytes = new byte[IPV6_BYTES];
    System.arraycopy(head, 0, bytes, 0, head.length);
    System.arraycopy(tail, 0, bytes, IPV6_BYTES - tail.length, tail.length);
    return bytes;
  }

  /// The bytes of groups with colons between them, the last of which may be an address of IPv4.
  private static byte @Nullable [] groups(String text) {
    if (text.isEmpty()) {
      return new byte[0];
    }
    String[] parts = text.split(":", -1);
    byte[] bytes = new byte[IPV6_BYTES];
    int length = 0;
    for (int i = 0; i < parts.length; i++) {
      byte[] last = i == parts.length - 1 && parts[i].indexOf('.') >= 0 ? ipv4(parts[i]) : null;
      boolean isGroup = parts[i].matches("[0-9a-fA-F]{1,4}");
      int more = last != null ? IPV4_BYTES : 2;
      if (parts.length > GROUPS || (last == null && !isGroup) || length + more > IPV6_BYTES) {
        return null;
      }
      byte[] group =
          last != null
              ? last
              : new BigInteger("1" + "0".repeat(4 - parts[i].length()) + parts[i], 16)
                  .toByteArray();
      System.arraycopy(group, group.length - more, bytes, length, more);
      length += more;
    }
    return Arrays.copyOf(bytes, length);
  }

  private boolean contains(byte @Nullable [] address) {
    return address != null
        && address.length == least.length
        && Arrays.compareUnsigned(least, address) <= 0
        && Arrays.compareUnsigned(address, greatest) <= 0;
  }

  /// True when any address of a text is one of these.
  public boolean isIn(CharSequence line) {
    for (int i = 0; i < line.length(); i++) {
      String alphabet = startsIpv4(line, i) ? IPV4 : startsIpv6(line, i) ? IPV6 : "";
      if (!alphabet.isEmpty()) {
        int end = i;
        while (end < line.length() && alphabet.indexOf(line.charAt(end)) >= 0) {
          end++;
        }
        if (end - i <= ADDRESS_CHARS_MAX
            && contains(address(line.subSequence(i, end).toString()))) {
          return true;
        }
        i = end;
      }
    }
    return false;
  }

  /// A digit, and a dot among the next three characters.
  private static boolean startsIpv4(CharSequence text, int at) {
    return at + 3 < text.length()
        && isDigit(text.charAt(at))
        && (text.charAt(at + 1) == '.' || text.charAt(at + 2) == '.' || text.charAt(at + 3) == '.');
  }

  /// One to four hexadecimal digits before a colon, or two colons before one.
  private static boolean startsIpv6(CharSequence text, int at) {
    int end = at;
    while (end < text.length() && end < at + 4 && isHex(text.charAt(end))) {
      end++;
    }
    if (end > at) {
      return end < text.length() && text.charAt(end) == ':';
    }
    return at + 2 < text.length()
        && text.charAt(at) == ':'
        && text.charAt(at + 1) == ':'
        && isHex(text.charAt(at + 2));
  }

  private static boolean isDigit(char c) {
    return c >= '0' && c <= '9';
  }

  private static boolean isHex(char c) {
    return isDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
  }

  @Override
  public String toString() {
    return text;
  }
}
