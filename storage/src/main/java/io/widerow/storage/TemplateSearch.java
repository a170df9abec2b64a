package io.widerow.storage;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// Finds the lines of a block that contain a text, and puts none of them together: the text is
/// looked for in each constant part and in each column, and where it may reach over their edges,
/// its parts are.
///
/// ```
///   template    GET /| item |?from=| page | HTTP/1.1
///   in a constant part                               all lines of the template
///   in a variable                                    the lines that show it
///   "GET /a"    over the edge:  item starts with a
///   "7?from=x"  over two:       item ends with 7, and page starts with x
///   "/a?from="  over two:       item is a
/// ```
///
/// Where words must not go on, only what lies in the same part is looked at; so a few lines may be
/// found that do not have them, never the other way round.
///
/// - Threads: one.
/// - Memory: a bit for each variable of a column, for each part of the text that is looked for in
///   it.
final class TemplateSearch {
  /// Parts that are looked for in the variables of one template, before all its lines are found.
  private static final int PARTS_MAX = 256;

  private final TemplateDecoder block;
  private final Needle needle;
  private final int templates;
  private final boolean[] all; // by template: each of its lines has it
  private final List<List<Shown[]>> ways; // by template: how a line may have it
  private final Map<Part, Shown> looked = new HashMap<>();
  private final List<Shown> way = new ArrayList<>(); // that is followed
  private int partsLeft; // of PARTS_MAX

  /// A part of the needle, looked for in a column.
  private record Part(int column, Needle.Place place, int from, int limit) {}

  /// The texts of a column that have a part of the needle.
  private record Shown(int column, BitSet texts) {}

  TemplateSearch(TemplateDecoder block, int templates, Needle needle) {
    this.block = block;
    this.needle = needle;
    this.templates = templates;
    this.all = new boolean[templates];
    this.ways = new ArrayList<>(templates);
  }

  /// Adds the lines that contain the needle.
  void search(BitSet found) {
    boolean any = false;
    for (int template = 0; template < templates; template++) {
      ways.add(new ArrayList<>());
      all[template] = look(template, block.firsts[template], block.firsts[template + 1] - 1);
      any |= all[template] || !ways.get(template).isEmpty();
    }
    if (any) {
      collect(found);
    }
  }

  /// True when all lines of a template have it; else notes the ways in which some may.
  private boolean look(int template, int first, int last) {
    partsLeft = PARTS_MAX;
    for (int piece = first; piece <= last; piece++) {
      if (needle.isWithin(block.constants, block.pieceOffsets[piece], block.pieceBytes[piece])) {
        return true;
      }
    }
    for (int piece = first; piece < last && partsLeft > 0; piece++) {
      lookAround(template, piece);
    }
    return partsLeft <= 0;
  }

  /// Looks at a variable: the needle may begin in the constant part before it, or in itself.
  private void lookAround(int template, int piece) {
    if (push(piece, Needle.Place.WITHIN, 0, needle.length())) {
      pop(template);
    }
    int offset = block.pieceOffsets[piece];
    int bytes = block.pieceBytes[piece];
    for (int split = 1; split < needle.length(); split++) {
      if (split <= bytes
          && needle.isAt(Needle.Place.END, 0, split, block.constants, offset, bytes)) {
        follow(template, piece, split);
      }
      goOn(template, piece, Needle.Place.END, 0, split);
    }
  }

  /// The rest of the needle, from `from` on, starts where the variable does.
  private void follow(int template, int piece, int from) {
    if (push(piece, Needle.Place.START, from, needle.length())) {
      pop(template);
    }
    for (int limit = from; limit < needle.length(); limit++) {
      goOn(template, piece, Needle.Place.WHOLE, from, limit);
    }
  }

  /// The part `[from, split)` of the needle is in the variable, and the rest behind it.
  private void goOn(int template, int piece, Needle.Place place, int from, int split) {
    int offset = block.pieceOffsets[piece + 1];
    int bytes = block.pieceBytes[piece + 1];
    int rest = needle.length() - split;
    boolean ends = rest <= bytes;
    boolean possible =
        ends
            ? needle.isAt(
                Needle.Place.START, split, needle.length(), block.constants, offset, bytes)
            : block.pieceColumns[piece + 1] != TemplateDecoder.NONE
                && needle.isAt(
                    Needle.Place.WHOLE, split, split + bytes, block.constants, offset, bytes);
    if (possible && push(piece, place, from, split)) {
      if (ends) {
        pop(template);
      } else {
        follow(template, piece + 1, split + bytes);
        way.removeLast();
      }
    }
  }

  /// Goes on with the variables that have the part; false when none has.
  private boolean push(int piece, Needle.Place place, int from, int limit) {
    int column = block.pieceColumns[piece];
    if (place != Needle.Place.WITHIN && --partsLeft <= 0) {
      return false;
    }
    Shown shown =
        looked.computeIfAbsent(
            new Part(column, place, from, limit),
            part -> new Shown(column, shows(part, block.slices[column])));
    return !shown.texts.isEmpty() && way.add(shown);
  }

  private BitSet shows(Part part, TextSlices texts) {
    BitSet shows = new BitSet();
    if (texts.form <= PieceFormat.RAW) {
      texts.search(needle, part.place, part.from, part.limit, shows);
    } else {
      new NumberSearch(needle, part.place, part.from, part.limit).search(texts, shows);
    }
    return shows;
  }

  /// The way that was followed leads to the needle's end.
  private void pop(int template) {
    ways.get(template).add(way.toArray(Shown[]::new));
    way.removeLast();
  }

  private void collect(BitSet found) {
    Set<Shown> alone = new LinkedHashSet<>();
    boolean together = false;
    for (int template = 0; template < templates; template++) {
      together |= all[template];
      for (Shown[] one : ways.get(template)) {
        if (one.length == 1) {
          alone.add(one[0]);
        } else {
          together = true;
        }
      }
    }
    alone.forEach(shown -> collectAlone(shown, found));
    if (together) {
      collectTogether(found);
    }
  }

  /// Adds the lines of the templates in which a variable with one of these texts is enough: from
  /// the texts, which are few, to their lines.
  private void collectAlone(Shown shown, BitSet found) {
    boolean[] enough = new boolean[templates];
    boolean[] counts = new boolean[templates];
    boolean always = true; // each line has the variable
    for (int template = 0; template < templates; template++) {
      for (Shown[] one : ways.get(template)) {
        enough[template] |= one.length == 1 && one[0].equals(shown);
      }
      counts[template] = shows(template, shown.column);
      always &= counts[template];
    }
    int line = 0;
    int position = 0; // of the next text, in the column
    BitSet texts = shown.texts;
    for (int text = texts.nextSetBit(0); text >= 0; text = texts.nextSetBit(text + 1)) {
      if (always) {
        line = text; // no need to count on the way
        position = text;
      }
      while (!counts[templateOf(line)] || position < text) {
        position += counts[templateOf(line)] ? 1 : 0;
        line++;
      }
      if (enough[templateOf(line)]) {
        found.set(line);
      }
      position++;
      line++;
    }
  }

  private int templateOf(int line) {
    return (int) block.codes[line];
  }

  private boolean shows(int template, int column) {
    for (int piece = block.firsts[template]; piece < block.firsts[template + 1]; piece++) {
      if (block.pieceColumns[piece] == column) {
        return true;
      }
    }
    return false;
  }

  /// Adds the lines of the templates that have it, and those in which several variables must have
  /// their parts of it.
  private void collectTogether(BitSet found) {
    int[][] counted = new int[templates][]; // by template: columns whose texts are counted
    for (int template = 0; template < templates; template++) {
      counted[template] = counted(template);
    }
    int[] positions = new int[block.columns]; // behind the line's own
    for (int line = 0; line < block.count; line++) {
      int template = templateOf(line);
      for (int column : counted[template]) {
        positions[column]++;
      }
      if (all[template] || hasPartsOfOne(ways.get(template), positions)) {
        found.set(line);
      }
    }
  }

  private int[] counted(int template) {
    boolean[] matters = new boolean[block.columns];
    looked.values().forEach(shown -> matters[shown.column] |= !shown.texts.isEmpty());
    int[] columns = new int[block.columns];
    int count = 0;
    for (int piece = block.firsts[template]; piece < block.firsts[template + 1]; piece++) {
      if (block.pieceFresh[piece] && matters[block.pieceColumns[piece]]) {
        columns[count++] = block.pieceColumns[piece];
      }
    }
    return Arrays.copyOf(columns, count);
  }

  /// True when a line has all parts of one way that needs several.
  private static boolean hasPartsOfOne(List<Shown[]> ways, int[] positions) {
    for (int i = 0; i < ways.size(); i++) {
      boolean has = ways.get(i).length > 1;
      for (Shown shown : ways.get(i)) {
        has = has && shown.texts.get(positions[shown.column] - 1);
      }
      if (has) {
        return true;
      }
    }
    return false;
  }
}
