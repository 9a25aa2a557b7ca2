// Package config is Tenfold's configuration: its Go types, where values come
// from, and what is wrong with a value.
//
// Values are layered: the defaults, the user's file, the workspace's file, the
// environment, the conversation's own settings, and flags. Later layers override
// earlier ones key by key: tables merge, everything else is replaced. Every value
// knows where it came from ([Origin]).
//
// [Read] reads the layers that do not change while a program runs; [Layers.With]
// adds those of a conversation and returns what is in effect.
//
// An environment variable is TENFOLD_ and a key in capitals, with "_" for each
// dot: TENFOLD_CONVERSATION_COMPACTION_KEEP_LAST=5. Its value, like that of a flag
// KEY=VALUE, is plain text, a list separated by commas, or TOML if it begins with a
// quote, a bracket or a brace. A name in the key, such as that of a profile, is the
// matching name of an earlier layer, else it is taken in small letters.
package config
