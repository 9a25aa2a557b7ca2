package engine

// WalkLimit is how many steps an import takes up a tree of records in all, so
// that no file can be made to take forever.
const WalkLimit = 5_000_000
