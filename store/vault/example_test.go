package vault_test

import (
	"bytes"
	"fmt"

	"tenfold/store/vault"
)

// What a conversation's title says can be read only with the operator's master key.
func Example() {
	v, err := vault.New(bytes.Repeat([]byte{7}, vault.KeySize)) // 32 random bytes
	if err != nil {
		fmt.Println(err)
		return
	}
	var keys []vault.Wrapped // the database keeps them
	for _, version := range []int{vault.SearchKey, 1} {
		key, err := v.NewKey(12, version)
		if err != nil {
			fmt.Println(err)
			return
		}
		keys = append(keys, key)
	}
	ring, err := v.Keyring(12, keys)
	if err != nil {
		fmt.Println(err)
		return
	}
	chat := ring.Conversation([]byte("chat"))
	sealed, err := chat.Field(vault.Title, []byte("A cake"))
	fmt.Println(vault.Sealed(sealed), bytes.Contains(sealed, []byte("cake")), err)
	title, err := chat.OpenField(vault.Title, sealed)
	fmt.Println(string(title), err)
	// Output:
	// true false <nil>
	// A cake <nil>
}
