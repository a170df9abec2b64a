package io.widerow.query.parse;

import java.util.List;

/// The first of the formats of which a text is.
record SightFormat(List<TextFormat> formats) implements TextFormat {
  SightFormat {
    formats = List.copyOf(formats);
  }

  @Override
  public boolean parse(ParsedText text) {
    for (int i = 0; i < formats.size(); i++) {
      text.begin();
      if (formats.get(i).parse(text)) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean isVerbatim() {
    return false;
  }

  @Override
  public String toString() {
    return "sight";
  }
}
