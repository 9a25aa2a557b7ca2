package tenant_test

import (
	"context"
	"fmt"
	"log"

	"tenfold/fleet/tenant"
	"tenfold/store/postgres"
)

// A tenant, and a token that lets a program append to its conversations.
func ExampleNewRegistry() { //nolint:testableexamples // it needs a database
	ctx := context.Background()
	db, err := postgres.OpenDatabase(ctx, "postgres://tenfold@db.example.com/tenfold")
	if err != nil {
		log.Fatal(err)
	}
	defer db.Close()
	registry, operator := tenant.NewRegistry(db), tenant.Actor{Token: tenant.Operator}
	kitchen, err := registry.Create(ctx, operator, "kitchen", tenant.Limits{})
	if err != nil {
		log.Fatal(err)
	}
	_, secret, err := registry.CreateToken(ctx, operator, kitchen.ID, tenant.NewToken{
		Label: "ci", Scopes: tenant.Scopes{tenant.Read, tenant.Append},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(secret.Reveal()) // the program sends it; it cannot be read again
}
