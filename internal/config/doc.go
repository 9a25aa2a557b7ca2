// Package config is Tenfold's configuration: its Go types, where values come
// from, and what is wrong with those that are not understood.
//
// Values lie in layers, each over the one before: what comes with the program,
// the user's file, the workspace's file, the environment, what a conversation
// says of itself, and flags. Layers are merged key by key: tables merge, all
// else replaces. Every value knows where it came from ([Origin]).
//
// [Read] reads the layers that do not change while a program runs; [Layers.With]
// puts those of a conversation between and gives what is in effect.
//
// A variable of the environment is a key in capitals after TENFOLD_, with "_"
// for each dot: TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=5. Its value, like
// that of a flag KEY=VALUE, is text as it stands, a list parted by commas, or
// TOML where it begins with a quote, a bracket or a brace. A name in the key,
// as of a profile, is the one that a lower layer has and that fits, else it is
// taken in small letters.
package config
