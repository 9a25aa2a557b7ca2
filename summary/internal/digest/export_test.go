package digest

// What the tests over real sessions go by: what makes two commands the same,
// and whether a call failed.
var Normalise = normalise

// Visible is how a text is quoted.
var Visible = visible
