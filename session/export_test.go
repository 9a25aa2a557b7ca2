package session

// ReadFor is the version that the index of plans has read to.
func (s *Session) ReadFor() int64 {
	if s.index == nil {
		return 0
	}
	return s.index.Version()
}
