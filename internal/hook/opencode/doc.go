// Package opencode answers the events of opencode: what stands behind
// "tenfold hook opencode EVENT" and the plug-in that "tenfold install opencode"
// writes (live.md §3).
//
// opencode shows a plug-in the messages of each request before they are sent
// (experimental.chat.messages.transform), and takes what the plug-in makes of
// them. The plug-in asks with the event "messages": ids, sizes and what the
// provider counted. Within an epoch (V1) the answer is the view that the epoch
// began with, and after it whatever came since, untouched. Where a new one is due
// (V2) the answer asks for the whole session, which the plug-in gets from opencode
// itself and sends with the event "session". It is not read from the database:
// opencode writes there meanwhile, keeps it in different places and, before 1.2,
// in files; its own interface gives the same in all versions.
//
// A compaction that opencode makes by itself, such as on /compact, is answered
// with the event "compacting". A plug-in cannot keep opencode from calling a
// model there. It can make the call tiny, and replace what the model says: by the
// view as a text, so that the session can be read without Tenfold too. While the
// plug-in is there, requests hold the view itself.
package opencode
