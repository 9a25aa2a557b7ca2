// Package vault seals what people and models wrote, for stores that others can
// read: the disks, the backups and the administrators of a database.
//
// # Keys
//
// A tenant has data keys, numbered from 1; the newest seals, and each opens what it
// sealed. Version 0 is its search key, which hashes words and origins and never
// changes, so that a search finds rows of all versions. All are random, and are kept
// in the database wrapped (sealed) by the operator's master key, which is not. A
// tenant whose keys are destroyed cannot be read by anybody: see [Vault] for what
// that means for backups.
//
// Of a data key each conversation has a key of its own, by HKDF-SHA-256 of the
// conversation's name. So one key seals few rows, and AES-256-GCM's random nonces may
// be used for 2^32 entries of each conversation.
//
// # What is sealed
//
// An entry's text and all else that it says, compressed and sealed as one; a
// conversation's title; its origin. The additional data names the tenant and the
// entry's place in the log, so that a row which was changed, moved within its log, or
// copied from another conversation or tenant is [ErrTampered] and not an entry.
//
// Not sealed are the ids of conversations and entries, times, counts and sizes. The
// index of words holds keyed hashes: without the search key they tell how often some
// word occurs, and not which.
//
// A vault does not know what was there before: who can write to the database can
// restore an older state of it, or remove the end of a log.
package vault

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
)

// KeySize is how many bytes a master key and a data key have.
const KeySize = 32

// Errors that a caller can act on.
var (
	// ErrNoKey says that the key which sealed something is not there: it was
	// destroyed, or never loaded.
	ErrNoKey = errors.New("the key that seals it is missing")
	// ErrMaster says that a key is wrapped by a master key that the vault does not
	// have.
	ErrMaster = errors.New("it is wrapped by another master key")
	// ErrNoMaster says that there are keys, and no vault that opens them.
	ErrNoMaster = errors.New("the tenant is encrypted, and no master key was given")
	// ErrTampered says that sealed bytes were changed, or are not where they were
	// written.
	ErrTampered = errors.New("it was changed, or moved from elsewhere, since it was written")
)

// A Vault holds the operator's master keys, and wraps the keys of tenants. The first
// master key wraps; the others open what they wrapped before, until all keys are
// wrapped anew.
//
// Backups hold wrapped keys. A tenant whose keys were destroyed can be read from an
// older backup by whoever has its master key: either the wrapped keys are backed up
// apart and only their newest state is kept, or the keys of all other tenants are
// wrapped by a new master key and the old one is destroyed too.
//
// A Vault is safe for concurrent use.
type Vault struct{ masters []master }

type master struct {
	id   [idSize]byte
	aead cipher.AEAD
}

// idSize is how many bytes of a hash name a master key.
const idSize = 8

// New gives a vault of master keys, the current one first, each of [KeySize] bytes.
func New(current []byte, older ...[]byte) (*Vault, error) {
	v := &Vault{}
	for _, key := range append([][]byte{current}, older...) {
		aead, err := sealing(key)
		if err != nil {
			return nil, err
		}
		m := master{aead: aead}
		sum := sha256.Sum256(append([]byte("tenfold master key\x00"), key...))
		copy(m.id[:], sum[:])
		if slices.ContainsFunc(v.masters, func(o master) bool { return o.id == m.id }) {
			return nil, errors.New("the same master key is given twice")
		}
		v.masters = append(v.masters, m)
	}
	return v, nil
}

// Parse gives a vault of master keys as people write them: each the base64 of 32
// bytes on a line, the current one first. Empty lines and those that begin with # do
// not count. No error repeats what was read.
func Parse(text string) (*Vault, error) {
	var keys [][]byte
	n := 0
	for line := range strings.Lines(text) {
		n++
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		key, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(line, "="))
		if err != nil || len(key) != KeySize {
			return nil, fmt.Errorf("line %d is not the base64 of %d bytes", n, KeySize)
		}
		keys = append(keys, key)
	}
	if len(keys) == 0 {
		return nil, errors.New("there is no key")
	}
	return New(keys[0], keys[1:]...)
}

// sealing is AES-256-GCM, which puts a random nonce before what it seals.
func sealing(key []byte) (cipher.AEAD, error) {
	if len(key) != KeySize {
		return nil, fmt.Errorf("a key has %d bytes, not %d", KeySize, len(key))
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// ID names the current master key, by a hash of it.
func (v *Vault) ID() string { return hex.EncodeToString(v.masters[0].id[:]) }

// A wrapped key is a version byte, the id of the master key, and the key sealed.
const (
	wrapVersion = 1
	wrapHead    = 1 + idSize
)

// Wrapped is a key of a tenant as the database keeps it. Key is empty for one that
// was destroyed.
type Wrapped struct {
	Version int
	Key     []byte
}

// NewKey makes a key of a tenant and gives it wrapped.
func (v *Vault) NewKey(tenant, version int) (Wrapped, error) {
	key := make([]byte, KeySize)
	_, _ = rand.Read(key) // it never fails
	return v.wrap(tenant, version, key), nil
}

func (v *Vault) wrap(tenant, version int, key []byte) Wrapped {
	m := &v.masters[0]
	out := append([]byte{wrapVersion}, m.id[:]...)
	return Wrapped{Version: version, Key: m.aead.Seal(out, nil, key, owner(tenant, version))} //nolint:gosec // the AEAD makes the nonce
}

// owner is the additional data of a wrapped key.
func owner(tenant, version int) []byte {
	b := []byte("tenfold data key\x00")
	b = binary.BigEndian.AppendUint64(b, uint64(tenant))     //nolint:gosec // an identity
	return binary.BigEndian.AppendUint64(b, uint64(version)) //nolint:gosec // as above
}

// MasterOf names the master key that wraps a key, as [Vault.ID] does.
func (w Wrapped) MasterOf() string {
	if len(w.Key) < wrapHead {
		return ""
	}
	return hex.EncodeToString(w.Key[1:wrapHead])
}

// Rewrap wraps a key by the current master key; it reports false for one that is
// wrapped by it already.
func (v *Vault) Rewrap(tenant int, w Wrapped) (again Wrapped, changed bool, err error) {
	key, err := v.unwrap(tenant, w)
	if err != nil || w.MasterOf() == v.ID() {
		return w, false, err
	}
	return v.wrap(tenant, w.Version, key), true, nil
}

func (v *Vault) unwrap(tenant int, w Wrapped) ([]byte, error) {
	fail := func(err error) ([]byte, error) {
		return nil, fmt.Errorf("key %d of tenant %d: %w", w.Version, tenant, err)
	}
	switch {
	case len(w.Key) == 0:
		return fail(ErrNoKey)
	case len(w.Key) < wrapHead || w.Key[0] != wrapVersion:
		return fail(ErrTampered)
	}
	for i := range v.masters {
		m := &v.masters[i]
		if [idSize]byte(w.Key[1:wrapHead]) != m.id {
			continue
		}
		key, err := m.aead.Open(nil, nil, w.Key[wrapHead:], owner(tenant, w.Version))
		if err != nil || len(key) != KeySize {
			return fail(ErrTampered)
		}
		return key, nil
	}
	return fail(fmt.Errorf("%w (%s; given: %s)", ErrMaster, w.MasterOf(), v.ID()))
}
