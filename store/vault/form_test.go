package vault

import (
	"encoding/hex"
	"testing"
)

type formed struct {
	search, data, head, entry, title, mark string
	word                                   int32
}

// form was written once by this package, with the master key of ones.
var form = formed{
	search: "013db16fd1b2cd9f62ba0dff7344ff960507eb096e7b4b83e53380ba20c7632fd348b74a217daed90af3e9a669c2f08de7a6a0db95891126edd04d6998de0bf91aa3fe0026",
	data:   "013db16fd1b2cd9f62cb818a2fddefab9108ff8697b6cb8609b1ef0efd03c53d2d24db5feaddfccdcd44be7d2f6feef08d7e7068bba20cd3c407f894f7bf500db0ca0b05a1",
	head:   "e10101",
	entry:  "27a4049f5d4bc52fe54da143ff307fcf013510094dfeb45c5a199f1502b272322e58fe3e3089178c1208d4d37496a4bea639161073bdabde",
	title:  "e100013a797106b9588d653e6d69294fc85f4e9011be3763c89d8b275c990157f6c69a65e7ec",
	word:   -148257225,
	mark:   "91d731c2a12b4164f2424aeff788ba2a0e7aa34c697c6f40feab52e8982d63aa",
}

func (f formed) keys(t testing.TB) []Wrapped {
	return []Wrapped{{0, unhex(t, f.search)}, {1, unhex(t, f.data)}}
}

func unhex(t testing.TB, text string) []byte {
	t.Helper()
	b, err := hex.DecodeString(text)
	if err != nil {
		t.Fatal(err)
	}
	return b
}
