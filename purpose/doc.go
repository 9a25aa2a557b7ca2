// Package purpose tells what hosts put into a user's messages from what a person
// said there (semantics L11).
//
// Agents send much under the user's role: standing instructions, the output of
// their own commands, reminders. Importers know most of it from the format; the
// rest is told by how a text begins, from one table of the tags and phrases that
// the agents use. A text that the table does not know is a person's.
//
// [Of] gives the purpose of a message, [Said] what of it a person said, and
// [Title] a title made of that.
package purpose
