package io.widerow.storage.text;

import io.widerow.storage.codec.Needle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/// A search for a text in the lines of a block, without assembling any line. It looks for the text
/// in each constant part and in each column, and for its parts where the text may cross their
/// boundaries.
///
/// ```
///   template    GET /| item |?from=| page | HTTP/1.1
///   in a constant part                               all lines of the template
///   in a variable                                    the lines that show it
///   "GET /a"    over a boundary:    item starts with a
///   "7?from=x"  over two:           item ends with 7, and page starts with x
///   "/a?from="  over two:           item is a
/// ```
///
/// Word boundaries are checked only inside a single part, so the result may have a few lines too
/// many, but never misses one.
///
/// - Threads: one.
/// - Memory: for each part of the text that is looked for in a column, one bit for each of its
///   values.
final class TemplateSearch {
  /// The most parts to look for in the variables of one template; beyond that all its lines are
  /// taken.
  private static final int PARTS_MAX = 256;

  private final TemplateDecoder block;
  private final Needle needle;
  private final int templates;
  private final boolean[] all; // by template: each of its lines contains it
  private final List<List<Shown[]>> ways; // by template: the ways in which a line may contain it
  private final Map<Part, Shown> looked = new HashMap<>();
  private final List<Shown> way = new ArrayList<>(); // the way being followed
  private int partsLeft; // of PARTS_MAX

  /// A part of the needle, to be looked for in a column.
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

  /// True when every line of a template contains the needle; else notes the ways in which some may.
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

  /// Tries a variable: the needle may begin in it, or in the constant part before it.
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

  /// The rest of the needle, from `from`, starts with this variable.
  private void follow(int template, int piece, int from) {
    if (push(piece, Needle.Place.START, from, needle.length())) {
      pop(template);
    }
    for (int limit = from; limit < needle.length(); limit++) {
      goOn(template, piece, Needle.Place.WHOLE, from, limit);
    }
  }

  /// The needle's part `[from, split)` is in the variable, and the rest after it.
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

  /// Extends the way by the texts that have the part; false when there are none.
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

  /// Records the way, which has reached the needle's end.
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

  /// Adds the lines whose variable has one of these texts, in templates where that is sufficient.
  /// Goes from the texts, which are few, to their lines.
  private void collectAlone(Shown shown, BitSet found) {
    boolean[] enough = new boolean[templates];
    boolean[] counts = new boolean[templates];
    boolean always = true; // every line has the variable
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
        line = text; // no need to count the lines between
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

  /// Adds all lines of templates that contain the needle, and those in which several variables have
  /// their parts of it.
  private void collectTogether(BitSet found) {
    int[][] counted = new int[templates][]; // by template: columns whose texts are counted
    for (int template = 0; template < templates; template++) {
      counted[template] = counted(template);
    }
    int[] positions = new int[block.columns]; // after those of the current line
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

  /// True when a line has every part of one way that needs several.
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
