package io.widerow.query.logql;

import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;

/// Texts in a part of a URL.
final class UrlText {
  private UrlText() {}

  /// The first argument, whose length is counted before it is encoded: up to nine times as long.
  static String encoded(TemplateFunctions.Arguments call) throws TemplateRun.Failed {
    return encoded(call, call.text(0));
  }

  /// The same of another text.
  static String encoded(TemplateFunctions.Arguments call, String text) throws TemplateRun.Failed {
    long chars = 0;
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      boolean same = c < 0x80 && (Character.isLetterOrDigit(c) || " *-._".indexOf(c) >= 0);
      chars += same ? 1 : c < 0x80 ? 3 : c < 0x800 || Character.isSurrogate(c) ? 6 : 9;
    }
    call.making(chars);
    return URLEncoder.encode(text, StandardCharsets.UTF_8);
  }
}
