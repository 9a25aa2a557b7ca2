package digest

// lineLength is how many characters of a tool's line are quoted.
const lineLength = 200
