package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/// Goal: the README stays short enough to be read, and no document of the repository has a broken
/// link. Method: the text of every Markdown file; places in a page are its headings, by the anchors
/// that GitHub gives them.
class DocumentsTest {
  private static final int README_LINES_MAX = 150;
  private static final int README_COLUMNS_MAX = 110;
  private static final int PARAGRAPH_LINES_MAX = 4;
  private static final Pattern LINK = Pattern.compile("]\\(([^)\\s]+)\\)");
  private static final Pattern ITEM = Pattern.compile("\\s*([-*]|\\d+\\.) .*");
  private static final Path TOP = Path.of("..").toAbsolutePath().normalize();

  private final List<String> findings = new ArrayList<>();
  private final Map<Path, Set<String>> headings = new HashMap<>();

  @Test
  void theReadmeIsShort() throws IOException {
    List<String> lines = Files.readAllLines(TOP.resolve("README.md"));
    assertTrue(lines.size() <= README_LINES_MAX, lines.size() + " lines");
    int paragraph = 0;
    boolean code = false;
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String where = "README.md:" + (i + 1) + ": ";
      if (line.codePointCount(0, line.length()) > README_COLUMNS_MAX) {
        findings.add(where + "line of " + line.length() + " columns");
      }
      boolean fence = line.startsWith("```");
      code ^= fence;
      if (code || fence || line.isBlank() || line.startsWith("|") || line.startsWith("#")) {
        paragraph = 0;
      } else {
        paragraph = ITEM.matcher(line).matches() ? 1 : paragraph + 1;
      }
      if (paragraph > PARAGRAPH_LINES_MAX) {
        findings.add(where + "paragraph of " + paragraph + " lines");
      }
    }
    assertEquals("", String.join("\n", findings));
  }

  @Test
  void everyLinkLeadsSomewhere() throws IOException {
    List<Path> pages;
    try (var tree = Files.walk(TOP)) {
      pages = tree.filter(DocumentsTest::isPage).sorted().toList();
    }
    assertFalse(pages.isEmpty(), "run from a module's directory");
    for (Path page : pages) {
      for (String line : prose(page)) {
        Matcher links = LINK.matcher(line.replaceAll("`[^`]*`", ""));
        while (links.find()) {
          follow(page, links.group(1));
        }
      }
    }
    assertEquals("", String.join("\n", findings));
  }

  /// False for build output, and for files of tools in hidden directories.
  private static boolean isPage(Path file) {
    String path = TOP.relativize(file).toString();
    return path.endsWith(".md") && !path.matches("(.*/)?(target|node_modules|\\.[^/]+)/.*");
  }

  private void follow(Path page, String link) throws IOException {
    if (link.matches("[a-z]+:.*")) {
      return; // of the web
    }
    String[] parts = link.split("#", 2);
    Path target =
        parts[0].isEmpty() ? page : page.resolveSibling(parts[0]).toAbsolutePath().normalize();
    boolean there = target.startsWith(TOP) && Files.exists(target);
    if (!there || (parts.length == 2 && !headings(target).contains(parts[1]))) {
      findings.add(TOP.relativize(page) + ": no " + link);
    }
  }

  private Set<String> headings(Path page) throws IOException {
    Set<String> known = headings.get(page);
    if (known == null) {
      known = new HashSet<>();
      for (String line : prose(page)) {
        if (line.startsWith("#")) {
          known.add(anchor(line.replaceFirst("#+ ", "")));
        }
      }
      headings.put(page, known);
    }
    return known;
  }

  private static String anchor(String heading) {
    return heading.strip().toLowerCase(Locale.ROOT).replaceAll("[^\\w -]", "").replace(' ', '-');
  }

  /// The lines that are not code.
  private static List<String> prose(Path page) throws IOException {
    List<String> prose = new ArrayList<>();
    boolean code = false;
    for (String line : Files.readAllLines(page)) {
      boolean fence = line.strip().startsWith("```");
      code ^= fence;
      if (!code && !fence) {
        prose.add(line);
      }
    }
    return prose;
  }
}
