// Package job has compactions made in the background.
//
// An append that brings a conversation over its limit makes a compaction due
// ([session.WithDue]). [Queue.Store] wraps a store so that the job is enqueued in
// the transaction of that append: there is no entry without its job, and no job
// without its entry. A [Worker] of any process then plans it on a session of its
// own, holds the plan against what came meanwhile, and writes the overlays in the
// transaction that ends the job. So a job is never lost and never done twice,
// whichever process is killed when.
//
// [Queue] is for PostgreSQL: jobs are rows of River (riverqueue.com), in the schema
// tenfold_jobs of the same database. [Local] is for one process with a store of its
// own, SQLite or memory: its jobs are in memory. What is lost with the process is
// due again at the next append to the conversation. River's driver for SQLite was
// not taken: it writes by connections of its own, so that a job could not share the
// transaction of an append without giving up the group commit of that store, and it
// polls; for one process it would be slower and no safer.
//
// A job holds ids, numbers and names of strategies, and nothing of what was said.
package job
