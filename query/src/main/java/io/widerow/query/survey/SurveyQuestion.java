package io.widerow.query.survey;

import io.widerow.query.QueryMemory;
import io.widerow.storage.StoreView;

/// What a survey answers.
public interface SurveyQuestion {
  /// @param view remains the caller's
  /// @param memory that all queries share
  Survey open(StoreView view, QueryMemory memory);
}
