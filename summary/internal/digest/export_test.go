package digest

// Visible is how a text is quoted.
var Visible = visible
