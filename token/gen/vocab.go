package main

import (
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// writeVocab packs the ranks of one encoding in the form that is fastest to
// build tables from. For n tokens in rank order, after n in four bytes:
//
//   - n lengths in bytes, a byte each;
//   - n merges, five bytes each, left<<20 | right: the two older tokens whose
//     merge makes this one, itself for a single byte. Bit 38 is set if the
//     token may be the left half of a merge, bit 18 if it may be a right half;
//   - the bytes of all tokens.
//
// Numbers are little endian.
func writeVocab(dir, name string) error {
	ranks, err := readRanks(dir, name)
	if err != nil {
		return err
	}
	ids := make(map[string]uint32, len(ranks))
	for i, r := range ranks {
		ids[r] = uint32(i)
	}
	n := len(ranks)
	merges := make([]uint64, n)
	out := binary.LittleEndian.AppendUint32(nil, uint32(n))
	for id, r := range ranks {
		out = append(out, byte(len(r)))
		left, right := uint32(id), uint32(id)
		if id < 256 {
			if len(r) != 1 {
				return fmt.Errorf("rank %d has %d bytes, want the single bytes first", id, len(r))
			}
			merges[id] |= 1<<38 | 1<<18
		} else if left, right, err = lastMerge(r, uint32(id), ids); err != nil {
			return err
		}
		merges[id] |= uint64(left)<<20 | uint64(right)
		merges[left] |= 1 << 38
		merges[right] |= 1 << 18
	}
	for _, m := range merges {
		out = append(out, byte(m), byte(m>>8), byte(m>>16), byte(m>>24), byte(m>>32))
	}
	for _, r := range ranks {
		out = append(out, r...)
	}
	return os.WriteFile(filepath.Join("data", name+".vocab"), out, 0o644)
}

// lastMerge merges text with the tokens older than id and returns the two
// parts that are left. A token that is not the merge of two parts could never
// come out of a merge; none of the two vocabularies has one.
func lastMerge(text string, id uint32, ids map[string]uint32) (left, right uint32, err error) {
	parts := make([]string, len(text))
	for i := range len(text) {
		parts[i] = text[i : i+1]
	}
	for len(parts) > 2 {
		best, at := id, -1
		for i := 0; i+1 < len(parts); i++ {
			if r, ok := ids[parts[i]+parts[i+1]]; ok && r < best {
				best, at = r, i
			}
		}
		if at < 0 {
			return 0, 0, fmt.Errorf("token %d %q is not the merge of two older tokens", id, text)
		}
		parts[at] += parts[at+1]
		parts = append(parts[:at+1], parts[at+2:]...)
	}
	return ids[parts[0]], ids[parts[1]], nil
}

// readRanks returns the tokens of an encoding in rank order.
func readRanks(dir, name string) ([]string, error) {
	data, err := os.ReadFile(filepath.Join(dir, "encoders", name+".json"))
	if err != nil {
		return nil, err
	}
	var file struct {
		Ranks string `json:"bpe_ranks"`
	}
	if err := json.Unmarshal(data, &file); err != nil {
		return nil, err
	}
	// A line is "! first token-in-base64 …" in base64; both encodings have one.
	fields := strings.Fields(file.Ranks)
	if len(fields) < 258 || fields[0] != "!" || fields[1] != "0" {
		return nil, fmt.Errorf("the ranks do not begin with \"! 0\"")
	}
	var ranks []string
	for _, f := range fields[2:] {
		b, err := base64.StdEncoding.DecodeString(f)
		if err != nil {
			return nil, fmt.Errorf("rank %d: %w", len(ranks), err)
		}
		ranks = append(ranks, string(b))
	}
	return ranks, nil
}
