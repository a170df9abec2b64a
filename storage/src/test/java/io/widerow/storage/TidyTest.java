package io.widerow.storage;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.CompilationUnitTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.Tree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePathScanner;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/// House rules about source text: limits on lines, methods and files, banned words and calls, and a
/// documentation comment on every type. It reads the whole repository, so one run covers every
/// module.
class TidyTest {
  private static final int LINE_COLUMNS_MAX = 100;
  private static final int METHOD_LINES_MAX = 80;
  private static final int FILE_LINES_MAX = 600;

  /// Banned everywhere. Split in two parts here, because this file is checked as well.
  private static final List<String> BANNED =
      List.of(
          "TO" + "DO",
          "FIX" + "ME",
          "XX" + "X:",
          "print" + "StackTrace",
          "sun.misc." + "Unsafe",
          "java.io." + "Serializable",
          "import org." + "mockito");

  /// Banned in the product, except in the files named.
  private static final Map<String, Set<String>> BANNED_IN_MAIN =
      Map.of(
          "System.get" + "Property", Set.of("BuildVersion.java"), // the launcher knows the commit
          "System.get" + "env", Set.of("Shell.java"),
          "Long.get" + "Long(", Set.of(),
          "Integer.get" + "Integer(", Set.of(),
          "Boolean.get" + "Boolean(", Set.of());

  /// Banned in tests, except in the file that may: a test that sleeps is slow, or fails on a busy
  /// machine. Tests wait with `Await`, which has a limit far above what they need.
  private static final List<String> BANNED_IN_TESTS =
      List.of(".sle" + "ep(", "park" + "Nanos", "onSpin" + "Wait", "@Dis" + "abled");

  private static final String WAITS = "Await.java";

  /// English that a reader must decode, as CONTRIBUTING.md says; in two parts as well. Must not be
  /// written in sources or documents.
  private static final List<Pattern> UNCLEAR =
      Stream.of(
              "\\bwho" + "ever\\b",
              ", of" + " which\\b",
              "\\bin its" + " place\\b",
              "\\bbehind" + " (it|them|its)\\b")
          .map(words -> Pattern.compile(words, Pattern.CASE_INSENSITIVE))
          .toList();

  private final List<String> findings = new ArrayList<>();

  @Test
  void everySourceFileIsTidy() throws IOException {
    List<Path> files;
    try (var tree = Files.walk(Path.of(".."))) {
      files =
          tree.filter(p -> p.toString().matches("\\.\\./[^.]+/src/.*\\.java")).sorted().toList();
    }
    List<Path> main = files.stream().filter(TidyTest::isMain).toList();
    assertFalse(main.isEmpty(), "run from a module's directory");

    for (Path file : files) {
      tidyText(file, Files.readAllLines(file));
    }
    tidyTypes(main);

    assertEquals("", String.join("\n", findings));
  }

  @Test
  void everyDocumentIsPlainEnglish() throws IOException {
    List<Path> documents;
    try (var tree = Files.walk(Path.of(".."))) {
      documents =
          tree.filter(p -> p.toString().endsWith(".md"))
              .filter(p -> !p.toString().matches(".*/(target|runs|outputs)/.*"))
              .sorted()
              .toList();
    }
    assertFalse(documents.isEmpty(), "run from a module's directory");
    for (Path document : documents) {
      findUnclear(document, Files.readAllLines(document));
    }
    assertEquals("", String.join("\n", findings));
  }

  private void findUnclear(Path file, List<String> lines) {
    for (int i = 0; i < lines.size(); i++) {
      for (Pattern words : UNCLEAR) {
        if (words.matcher(lines.get(i)).find()) {
          findings.add(file + ":" + (i + 1) + ": unclear English: " + words.pattern());
        }
      }
    }
  }

  private static boolean isMain(Path file) {
    return file.toString().contains("/src/main/java/");
  }

  private static boolean isTest(Path file) {
    return file.toString().matches(".*/src/(test|clients)/.*");
  }

  private void tidyText(Path file, List<String> lines) {
    if (lines.size() > FILE_LINES_MAX) {
      findings.add(file + ": " + lines.size() + " lines");
    }
    findUnclear(file, lines);
    for (int i = 0; i < lines.size(); i++) {
      String line = lines.get(i);
      String where = file + ":" + (i + 1) + ": ";
      if (line.length() > LINE_COLUMNS_MAX) {
        findings.add(where + "line of " + line.length() + " columns");
      }
      BANNED.stream().filter(line::contains).forEach(word -> findings.add(where + word));
      if (isMain(file)) {
        String name = file.getFileName().toString();
        BANNED_IN_MAIN.forEach((word, places) -> {
          if (line.contains(word) && !places.contains(name)) {
            findings.add(where + word);
          }
        });
      } else if (isTest(file) && !file.endsWith(WAITS)) {
        BANNED_IN_TESTS.stream().filter(line::contains).forEach(word -> findings.add(where + word));
      }
    }
  }

  private void tidyTypes(List<Path> files) throws IOException {
    var compiler = ToolProvider.getSystemJavaCompiler();
    try (var manager = compiler.getStandardFileManager(null, null, null)) {
      var task =
          (JavacTask)
              compiler.getTask(
                  null, manager, null, null, null, manager.getJavaFileObjectsFromPaths(files));
      DocTrees docs = DocTrees.instance(task);
      for (CompilationUnitTree unit : task.parse()) {
        new TypeScanner(docs, unit).scan(unit, null);
      }
    }
  }

  private final class TypeScanner extends TreePathScanner<@Nullable Void, @Nullable Void> {
    private final DocTrees docs;
    private final CompilationUnitTree unit;

    TypeScanner(DocTrees docs, CompilationUnitTree unit) {
      this.docs = docs;
      this.unit = unit;
    }

    @Override
    public @Nullable Void visitClass(ClassTree type, @Nullable Void none) {
      boolean topLevel = getCurrentPath().getParentPath().getLeaf() instanceof CompilationUnitTree;
      if (topLevel && docs.getDocComment(getCurrentPath()) == null) {
        findings.add(where(type) + ": " + type.getSimpleName() + " does not say what it is");
      }
      return super.visitClass(type, null);
    }

    @Override
    public @Nullable Void visitMethod(MethodTree method, @Nullable Void none) {
      var positions = docs.getSourcePositions();
      var lines = unit.getLineMap();
      long first = lines.getLineNumber(positions.getStartPosition(unit, method));
      long last = lines.getLineNumber(positions.getEndPosition(unit, method));
      if (last - first + 1 > METHOD_LINES_MAX) {
        findings.add(
            where(method) + ": " + method.getName() + " has " + (last - first + 1) + " lines");
      }
      return super.visitMethod(method, null);
    }

    private String where(Tree tree) {
      long start = docs.getSourcePositions().getStartPosition(unit, tree);
      return unit.getSourceFile().getName() + ":" + unit.getLineMap().getLineNumber(start);
    }
  }
}
