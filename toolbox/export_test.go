package toolbox

// MatchGlob reports whether a path matches a pattern of fs_find_files.
func MatchGlob(pattern, name string) (bool, error) {
	match, err := glob(pattern)
	if err != nil {
		return false, err
	}
	return match.MatchString(name), nil
}

// Outline gives the rows of a list of files.
func Outline(files []string) []string { return outline(files) }

// Excluding gives the patterns of git's that leave out what is hidden.
func Excluding(hidden, shown []string) []string { return excluding(hidden, shown) }
