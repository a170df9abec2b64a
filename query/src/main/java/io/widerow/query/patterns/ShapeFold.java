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
import java.util.function.LongConsumer;

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
/// - Memory: each different word once, and numbers in place of words. One place is looked at after
///   the other, so that long prose costs no more.
final class ShapeFold {
  /// So many different words in one place are a variable, when all else is the same.
  static final int WORDS_MIN = 5;

  /// So many are, whatever else differs.
  static final int WORDS_MANY = 30;

  private static final int WORD_BYTES = 110; // of a different word, besides its letters
  private static final int NUMBER_BYTES = 3 * Integer.BYTES; // of a word: in a shape, and masked
  private static final int WORDS_OF_SHAPE_MAX = 200; // a longer shape stays as it is
  private static final int ROUNDS_MAX = 20;
  private static final String HOLE = "<_>";

  private final List<Pattern> patterns;
  private final LongConsumer hold;
  private final Map<String, Integer> numbers = new HashMap<>(); // by word
  private final List<String> words = new ArrayList<>(); // by number
  private final int hole;

  /// @param patterns of one type, each with another shape; unchanged
  /// @param hold receives the number of bytes that it needs more
  ShapeFold(List<Pattern> patterns, LongConsumer hold) {
    this.patterns = patterns;
    this.hold = hold;
    this.hole = number(HOLE);
  }

  /// The words of a shape, as numbers, and the patterns that have become one. Two with the same
  /// words are equal.
  private static final class Shape {
    private final int[] words;
    private final List<Pattern> of;

    Shape(int[] words, List<Pattern> of) {
      this.words = words;
      this.of = of;
    }

    @Override
    public boolean equals(Object other) {
      return other instanceof Shape shape && Arrays.equals(words, shape.words);
    }

    @Override
    public int hashCode() {
      return Arrays.hashCode(words);
    }
  }

  /// Shapes that differ in one place alone.
  ///
  /// @param first number of the first of them
  private record Alike(int first, int place, List<Shape> shapes) {}

  private int number(String word) {
    Integer known = numbers.putIfAbsent(word, words.size());
    if (known != null) {
      return known;
    }
    words.add(word);
    hold.accept(WORD_BYTES + word.length());
    return words.size() - 1;
  }

  List<Pattern> fold() {
    Map<Shape, Shape> shapes = new LinkedHashMap<>();
    List<Pattern> folded = new ArrayList<>();
    patterns.stream()
        .sorted(Comparator.comparing(Pattern::shape))
        .forEach(pattern -> {
          String[] texts = pattern.shape().split(" ", -1);
          if (texts.length > WORDS_OF_SHAPE_MAX) {
            folded.add(pattern);
          } else {
            hold.accept((long) NUMBER_BYTES * texts.length);
            int[] shape = Arrays.stream(texts).mapToInt(this::number).toArray();
            add(new Shape(shape, List.of(pattern)), shapes);
          }
        });
    for (int round = 0; round < ROUNDS_MAX && foldOneWord(shapes); round++) {
      // again: what has become alike may fold in another place
    }
    foldManyWords(shapes);
    shapes.values().forEach(shape -> folded.add(sum(shape)));
    return folded;
  }

  private static void add(Shape shape, Map<Shape, Shape> to) {
    to.merge(
        shape,
        shape,
        (one, other) -> {
          List<Pattern> both = new ArrayList<>(one.of);
          both.addAll(other.of);
          return new Shape(one.words, both);
        });
  }

  private boolean foldOneWord(Map<Shape, Shape> shapes) {
    List<Shape> all = List.copyOf(shapes.values());
    List<Alike> groups = new ArrayList<>();
    int most = all.stream().mapToInt(shape -> shape.words.length).max().orElse(0);
    for (int place = 0; place < most; place++) {
      addAlike(all, place, groups);
    }
    groups.sort(
        Comparator.comparingInt((Alike group) -> -group.shapes.size())
            .thenComparingInt(Alike::first)
            .thenComparingInt(Alike::place));
    Set<Shape> done = new HashSet<>();
    for (Alike group : groups) {
      List<Shape> left = group.shapes.stream().filter(shape -> !done.contains(shape)).toList();
      if (left.size() >= WORDS_MIN) {
        left.forEach(shape -> replace(shape, List.of(group.place), shapes));
        done.addAll(left);
      }
    }
    return !done.isEmpty();
  }

  /// Adds the groups of shapes that are equal except for a name in one place.
  private void addAlike(List<Shape> all, int place, List<Alike> to) {
    Map<Shape, Alike> alike = new LinkedHashMap<>(); // by the shape with a hole there
    for (int i = 0; i < all.size(); i++) {
      Shape shape = all.get(i);
      if (place < shape.words.length && isName(words.get(shape.words[place]))) {
        int first = i;
        alike
            .computeIfAbsent(
                new Shape(masked(shape, List.of(place)), List.of()),
                _ -> new Alike(first, place, new ArrayList<>()))
            .shapes
            .add(shape);
      }
    }
    alike.values().stream().filter(group -> group.shapes.size() >= WORDS_MIN).forEach(to::add);
  }

  private int[] masked(Shape shape, List<Integer> places) {
    int[] masked = shape.words.clone();
    places.forEach(place -> masked[place] = hole);
    return masked;
  }

  private void replace(Shape shape, List<Integer> places, Map<Shape, Shape> shapes) {
    Shape now = shapes.remove(shape); // others of this round may have become equal to it
    if (now != null) {
      add(new Shape(masked(now, places), now.of), shapes);
    }
  }

  /// True for a word that may be a name: a letter in it is constant.
  private static boolean isName(String word) {
    return word.replace(HOLE, "").chars().anyMatch(Character::isLetter);
  }

  private void foldManyWords(Map<Shape, Shape> shapes) {
    Map<String, List<Shape>> beginnings = new TreeMap<>();
    for (Shape shape : shapes.values()) {
      String beginning = shape.words.length + " " + words.get(shape.words[0]);
      beginnings.computeIfAbsent(beginning, _ -> new ArrayList<>()).add(shape);
    }
    for (List<Shape> alike : beginnings.values()) {
      List<Integer> places = placesOfMany(alike);
      if (!places.isEmpty()) {
        alike.forEach(shape -> replace(shape, places, shapes));
      }
    }
  }

  /// The places in which shapes of as many words have many different ones.
  private static List<Integer> placesOfMany(List<Shape> shapes) {
    List<Integer> places = new ArrayList<>();
    int width = shapes.size() < WORDS_MANY ? 0 : shapes.getFirst().words.length;
    for (int i = 0; i < width; i++) {
      int place = i;
      if (shapes.stream().mapToInt(shape -> shape.words[place]).distinct().count() >= WORDS_MANY) {
        places.add(place);
      }
    }
    return places;
  }

  private Pattern sum(Shape shape) {
    if (shape.of.size() == 1) {
      return shape.of.getFirst();
    }
    String text = String.join(" ", Arrays.stream(shape.words).mapToObj(words::get).toList());
    Pattern sum = new Pattern(shape.of.getFirst().type(), text);
    shape.of.forEach(sum::add);
    return sum;
  }
}
