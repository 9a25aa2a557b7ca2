package remote

import "time"

// Insist has a store try again for as long.
func (s *Store) Insist(patience time.Duration) { s.patience = patience }
