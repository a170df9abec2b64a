package io.widerow.query.patterns;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/// Folds shapes that differ in a word: names of users, hosts and topics have no digits, so each is
/// a constant of its own shape at first.
///
/// ```
///   user ann logged in      \
///   user bob logged in       >   user <_> logged in       from [#WORDS_MIN] words on
///   user eve logged in ...  /
/// ```
///
/// First one word at a time, the place with the most words first, until nothing folds. Then, where
/// shapes of as many words and the same beginning are still many, all places with many words at
/// once: names often come in pairs that are each seen once.
///
/// - Threads: one.
final class ShapeFold {
  /// So many different words in one place are a variable, when all else is the same.
  static final int WORDS_MIN = 5;

  /// So many are, whatever else differs.
  static final int WORDS_MANY = 30;

  private static final int WORDS_OF_SHAPE_MAX = 200; // a longer shape stays as it is
  private static final String HOLE = "<_>";

  private final List<Pattern> patterns;

  /// @param patterns of one type, each with another shape; unchanged
  ShapeFold(List<Pattern> patterns) {
    this.patterns = patterns;
  }

  /// The shapes of lines, as words, and the patterns that have become one.
  private static final class Shape {
    private final List<String> words;
    private final List<Pattern> of;

    Shape(List<String> words, List<Pattern> of) {
      this.words = words;
      this.of = of;
    }

    List<String> with(int place) {
      List<String> masked = new ArrayList<>(words);
      masked.set(place, HOLE);
      return masked;
    }
  }

  List<Pattern> fold() {
    Map<List<String>, Shape> shapes = new LinkedHashMap<>();
    List<Pattern> folded = new ArrayList<>();
    patterns.stream()
        .sorted(Comparator.comparing(Pattern::shape))
        .forEach(pattern -> {
          List<String> words = Arrays.asList(pattern.shape().split(" ", -1));
          if (words.size() > WORDS_OF_SHAPE_MAX) {
            folded.add(pattern);
          } else {
            add(new Shape(words, List.of(pattern)), shapes);
          }
        });
    while (foldOneWord(shapes)) {
      // again: what has become alike may fold in another place
    }
    foldManyWords(shapes);
    shapes.values().forEach(shape -> folded.add(sum(shape)));
    return folded;
  }

  private static void add(Shape shape, Map<List<String>, Shape> to) {
    to.merge(
        shape.words,
        shape,
        (one, other) -> {
          List<Pattern> both = new ArrayList<>(one.of);
          both.addAll(other.of);
          return new Shape(one.words, both);
        });
  }

  private static boolean foldOneWord(Map<List<String>, Shape> shapes) {
    Map<List<String>, List<Shape>> alike = new LinkedHashMap<>();
    for (Shape shape : shapes.values()) {
      for (int place = 0; place < shape.words.size(); place++) {
        if (isName(shape.words.get(place))) {
          alike.computeIfAbsent(shape.with(place), _ -> new ArrayList<>()).add(shape);
        }
      }
    }
    List<Map.Entry<List<String>, List<Shape>>> groups = new ArrayList<>(alike.entrySet());
    groups.removeIf(group -> group.getValue().size() < WORDS_MIN);
    groups.sort(Comparator.comparingInt(group -> -group.getValue().size())); // stable
    Set<Shape> done = new HashSet<>();
    for (var group : groups) {
      List<Shape> left = group.getValue().stream().filter(shape -> !done.contains(shape)).toList();
      if (left.size() >= WORDS_MIN) {
        replace(left, group.getKey(), shapes);
        done.addAll(left);
      }
    }
    return !done.isEmpty();
  }

  private static void replace(
      List<Shape> old, List<String> words, Map<List<String>, Shape> shapes) {
    for (Shape shape : old) {
      shapes.remove(shape.words);
      add(new Shape(words, shape.of), shapes);
    }
  }

  /// True for a word that may be a name: a letter in it is constant.
  private static boolean isName(String word) {
    return word.replace(HOLE, "").chars().anyMatch(Character::isLetter);
  }

  private static void foldManyWords(Map<List<String>, Shape> shapes) {
    Map<String, List<Shape>> beginnings = new TreeMap<>();
    for (Shape shape : shapes.values()) {
      beginnings
          .computeIfAbsent(
              shape.words.size() + " " + shape.words.getFirst(), _ -> new ArrayList<>())
          .add(shape);
    }
    for (List<Shape> alike : beginnings.values()) {
      List<Integer> places = placesOfMany(alike);
      for (Shape shape : places.isEmpty() ? List.<Shape>of() : alike) {
        List<String> words = new ArrayList<>(shape.words);
        places.forEach(place -> words.set(place, HOLE));
        replace(List.of(shape), words, shapes);
      }
    }
  }

  /// The places in which shapes have many different words.
  private static List<Integer> placesOfMany(List<Shape> shapes) {
    List<Integer> places = new ArrayList<>();
    for (int place = 0; shapes.size() >= WORDS_MANY && place < width(shapes); place++) {
      Map<String, Boolean> words = new HashMap<>();
      for (Shape shape : shapes) {
        words.put(shape.words.get(place), true);
      }
      if (words.size() >= WORDS_MANY) {
        places.add(place);
      }
    }
    return places;
  }

  private static int width(List<Shape> shapes) {
    return shapes.getFirst().words.size();
  }

  private static Pattern sum(Shape shape) {
    if (shape.of.size() == 1) {
      return shape.of.getFirst();
    }
    Pattern sum = new Pattern(shape.of.getFirst().type(), String.join(" ", shape.words));
    shape.of.forEach(sum::add);
    return sum;
  }
}
