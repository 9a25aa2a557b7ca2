package postgres

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5/pgxpool"
	"go.uber.org/goleak"

	"tenfold/internal/corpustest"
	"tenfold/store"
	"tenfold/store/postgres/pgtest"
	"tenfold/store/storetest"
	"tenfold/store/vault"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// opened gives a store, closed when the test ends.
func opened(t testing.TB, url string, opts ...Option) *Store {
	t.Helper()
	s, err := Open(context.Background(), url, opts...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// superuser gives connections that no policy holds.
func superuser(t testing.TB, url string) *pgxpool.Pool {
	t.Helper()
	pool, err := pgxpool.New(context.Background(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(pool.Close)
	return pool
}

// TestPostgres holds what may share a server.
func TestPostgres(t *testing.T) {
	t.Parallel()
	server := pgtest.Start(t)
	for name, test := range map[string]func(*testing.T, *pgtest.Server){
		"Store": testStore, "OpenErrors": testOpenErrors, "Schema": testSchema, "Timeouts": testTimeouts,
		"LongIDs": testLongIDs, "LostConnections": testLostConnections, "Told": testTold,
		"Upgrade": testUpgrade, "Isolation": testIsolation, "Above": testAbove, "Plans": testPlans, "PlansOfNew": testPlansOfNew, "Tidy": testTidy,
		"InterruptedUpgrade": testInterruptedUpgrade, "TenantOfURL": testTenantOfURL, "Vault": testVault, "KeysLost": testKeysLost,
		"Tampered": testTampered, "Damaged": testDamaged, "KeysNotRestored": testKeysNotRestored, "Standby": testStandby, "EncryptLive": testEncryptLive, "Erase": testErase, "EraseWaits": testEraseWaits, "EraseAgain": testEraseAgain, "EraseRotated": testEraseRotated, "EraseCountsBefore": testEraseCountsBefore, "LostTransactions": testLostTransactions, "RewrapErased": testRewrapErased, "Retention": testRetention, "DroppedMonth": testDroppedMonth, "MonthIsRead": testMonthIsRead, "RetentionFails": testRetentionFails,
		"Ready": testReady, "Seen": testSeen, "Groups": testGroups,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, server)
		})
	}
}

// testStore has the suite that every store passes run, with everything over a database
// for each of its stores.
func testStore(t *testing.T, server *pgtest.Server) {
	if !corpustest.All() {
		testTenants(t, server, func() *vault.Vault { return nil })
		return
	}
	again := func(t *testing.T, s store.Store) store.Store {
		config := s.(*Store).db.pool.Config()
		again, err := Open(context.Background(), config.ConnString())
		if err != nil {
			t.Fatal(err)
		}
		return again
	}
	storetest.Run(t, func(t *testing.T) store.Store { return opened(t, server.Database(t)) },
		storetest.Second(again),
		storetest.Reopen(func(t *testing.T, s store.Store) store.Store {
			if err := s.Close(); err != nil {
				t.Fatal(err)
			}
			return again(t, s)
		}))
}
