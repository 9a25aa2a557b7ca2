package summary

// Normalise makes two commands the same, for the tests over real sessions.
var Normalise = normalise

// Visible is how a text is quoted.
var Visible = visible
