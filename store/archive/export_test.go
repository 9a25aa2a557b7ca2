package archive

// ReadBy is Read that appends so many bytes at once.
var ReadBy = read
