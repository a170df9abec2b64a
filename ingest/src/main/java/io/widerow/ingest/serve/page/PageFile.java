package io.widerow.ingest.serve.page;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import java.util.zip.Deflater;
import java.util.zip.GZIPOutputStream;

/// A file of the page, read from the class path once.
///
/// @param bytes its content; not to be changed
/// @param gzip its content, compressed; not to be changed
/// @param etag changes with the content
@SuppressWarnings("ArrayRecordComponent") // never compared
record PageFile(byte[] bytes, byte[] gzip, String etag, String contentType) {
  private static final String ROOT = "/io/widerow/ui/";
  private static final String MAIN = "main.js";
  private static final String VIEWS = "views.js";
  private static final String FONT = "font/woff2";
  private static final int HASH_BYTES = 12;

  /// Types, and comments after code: those without a quotation mark, so no string is cut.
  private static final Pattern SAID =
      Pattern.compile("/\\*\\* @type [^*]*\\*/ ?|(?<=[;,{]) // [^\"'`]*$");

  /// The files in the repository; `PageFilesTest` holds this list to the directory. Modules are in
  /// the order in which they are joined: similar modules lie near each other, because compression
  /// looks back only 32 KiB.
  static final List<String> NAMES =
      List.of(
          """
          index.html page.css icon.svg inter-3100e775.woff2 inter-license.txt
          jetbrains-mono-18be4527.woff2 jetbrains-mono-license.txt text.js state.js api.js
          format.js segments-draw.js range.js levels.js axis.js dom.js columns.js facets.js
          popovers.js damage.js heat.js strip-draw.js completions.js strip.js strip-hand.js rail.js
          paper.js saved.js question.js find.js login.js list.js follow.js rows.js empty.js event.js
          keys.js bind.js health.js main.js
          plot-draw.js partitions.js layout-draw.js layout-side.js layout.js differences.js plot.js
          series.js condition.js translate.js aggregates.js trace.js views.js
          """
              .strip()
              .split("\\s+", -1));

  /// True when another content would have another name, which holds a hash: browsers need not ask
  /// again.
  boolean isImmutable() {
    return contentType.equals(FONT);
  }

  /// All files that are served, by their names. The modules are two scripts: what the first rows
  /// need, and the views that are loaded after them.
  static Map<String, PageFile> all() {
    Map<String, PageFile> files = new LinkedHashMap<>();
    for (String name : NAMES) {
      if (!name.endsWith(".js")) {
        files.put(name, of(name, read(name)));
      }
    }
    List<String> modules = NAMES.stream().filter(name -> name.endsWith(".js")).toList();
    int first = modules.indexOf(MAIN) + 1;
    List<String> scripts =
        PageScript.inTwo(
            modules.subList(0, first), modules.subList(first, modules.size()), PageFile::script);
    files.put(MAIN, of(MAIN, scripts.getFirst().getBytes(UTF_8)));
    files.put(VIEWS, of(VIEWS, scripts.getLast().getBytes(UTF_8)));
    return files;
  }

  private static String script(String name) {
    return withoutComments(new String(read(name), UTF_8));
  }

  private static PageFile of(String name, byte[] bytes) {
    try {
      return new PageFile(bytes, gzip(bytes), etag(bytes), contentType(name));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible); // it is written to memory
    }
  }

  private static byte[] read(String name) {
    try (InputStream resource = PageFile.class.getResourceAsStream(ROOT + name)) {
      if (resource == null) {
        throw new IllegalStateException("the page has no file " + name);
      }
      return resource.readAllBytes();
    } catch (IOException unreadable) {
      throw new UncheckedIOException(unreadable);
    }
  }

  /// A script without comments, types, indentation and empty lines. What its comments say is for
  /// those who read it in the repository.
  static String withoutComments(String script) {
    StringBuilder kept = new StringBuilder(script.length());
    boolean inside = false;
    for (String line : script.split("\n", -1)) {
      String text = line.strip();
      inside |= text.startsWith("/**") && !text.contains("*/");
      boolean comment =
          inside || text.startsWith("//") || (text.startsWith("/**") && text.endsWith("*/"));
      inside &= !text.endsWith("*/");
      if (!comment && !text.isEmpty()) {
        kept.append(SAID.matcher(text).replaceAll("")).append('\n');
      }
    }
    return kept.toString();
  }

  private static byte[] gzip(byte[] bytes) throws IOException {
    var packed = new ByteArrayOutputStream();
    try (GZIPOutputStream out = new Packed(packed)) {
      out.write(bytes);
    }
    return packed.toByteArray();
  }

  /// As small as it gets: it is done once.
  private static final class Packed extends GZIPOutputStream {
    Packed(OutputStream out) throws IOException {
      super(out);
      def.setLevel(Deflater.BEST_COMPRESSION);
    }
  }

  private static String etag(byte[] bytes) {
    try {
      byte[] digest = MessageDigest.getInstance("SHA-256").digest(bytes);
      return '"' + HexFormat.of().formatHex(Arrays.copyOf(digest, HASH_BYTES)) + '"';
    } catch (NoSuchAlgorithmException missing) {
      throw new IllegalStateException("each Java has SHA-256", missing);
    }
  }

  private static String contentType(String name) {
    String end = name.substring(name.lastIndexOf('.') + 1);
    return switch (end) {
      case "html" -> "text/html; charset=utf-8";
      case "js" -> "text/javascript; charset=utf-8";
      case "css" -> "text/css; charset=utf-8";
      case "svg" -> "image/svg+xml";
      case "woff2" -> FONT;
      case "txt" -> "text/plain; charset=utf-8";
      default -> throw new IllegalStateException("no content type for " + name);
    };
  }
}
