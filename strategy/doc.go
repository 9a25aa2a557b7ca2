// Package strategy proposes overlays. A [Strategy] looks at a projection and
// says which compactions would shorten it; it writes nothing (semantics §6).
// A [Pipeline] runs strategies left to right, each seeing what the earlier
// ones would give (S-15), and makes a [Plan]: the compactions, what each step
// gains (S-17), and the projection as it would be. Applying a plan is package
// session's work.
//
// [Parse] reads strategies as they are written, "micro:keep_recent=5", and
// [Names] lists them. Those that need a model ask for it by a small interface
// in [Options]: a [Summarizer], a [Classifier]. Without one they propose
// nothing and say so.
//
// A profile is a named set of policies that make one overlay.
package strategy

//go:generate go run ./gen
