/// Events and questions that tests of all modules ask of two stores, to compare the answers.
@NullMarked
package io.widerow.questions;

import org.jspecify.annotations.NullMarked;
