package sqlite

import (
	"database/sql/driver"
	"errors"
	"testing"

	"tenfold/store/internal/row"
)

// SQLite keeps values of any type in any column: those that no row of ours has are damage, of the
// entry that they are read for.
func TestValuesOfOtherTypesAreDamage(t *testing.T) {
	for _, values := range [][2]driver.Value{{nil, nil}, {"words", nil}, {int64(1), "words"}, {[]byte{}, int64(1)}, {[]byte{}, 1.5}} {
		if e, err := decode(&row.Decoder{}, 7, values[0], values[1]); e.Seq != 7 || !errors.Is(err, row.ErrDamaged) {
			t.Errorf("%v: entry %d, %v", values, e.Seq, err)
		}
	}
}
