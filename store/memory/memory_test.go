package memory_test

import (
	"testing"

	"go.uber.org/goleak"

	"tenfold/store"
	"tenfold/store/memory"
	"tenfold/store/storetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestStore(t *testing.T) {
	t.Run("plain", func(t *testing.T) { storetest.Run(t, func(*testing.T) store.Store { return memory.New() }) })
	t.Run("packed", func(t *testing.T) {
		storetest.Run(t, func(*testing.T) store.Store { return memory.New(memory.Packed()) })
	})
}
