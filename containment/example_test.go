package containment_test

import (
	"context"
	"fmt"
	"log"

	"tenfold/containment"
)

// The program calls Enter first: it is started again to contain the command.
func Example() { //nolint:testableexamples // it starts the program again
	containment.Enter()
	if level, why := containment.Available(); level == (containment.Level{}) {
		log.Fatal("commands cannot be contained: ", why)
	}
	dir := "/home/ann/project"
	cmd, err := containment.Command(context.Background(), []string{"make", "test"}, dir, containment.Grant{Write: []string{dir}})
	if err != nil {
		log.Fatal(err)
	}
	out, err := cmd.CombinedOutput()
	fmt.Println(string(out), err)
}
