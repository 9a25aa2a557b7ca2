package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// patterns are the classes the split rules tell apart, in the order of the
// class numbers of package token; what none of them matches is class 0.
var patterns = []string{
	`[\s--[\r\n]]`,
	`[\r\n]`,
	`\p{N}`,
	`\p{Lu}|\p{Lt}`,
	`\p{Ll}`,
	`\p{Lm}|\p{Lo}`,
	`\p{M}`,
}

// writeClasses asks the reference for the class of every code point and
// writes a two-stage table: one byte for each block of 128 code points, the
// number of a block of 128 classes, then those blocks.
func writeClasses(dir string) error {
	var points [][]int
	if err := node(dir, classScript, patterns, &points); err != nil {
		return err
	}
	const size = 128
	class := make([]byte, 0x110000)
	for i, list := range points {
		for _, c := range list {
			if class[c] != 0 {
				return fmt.Errorf("U+%04X is in two classes", c)
			}
			class[c] = byte(i + 1)
		}
	}
	numbers := make(map[string]byte)
	var index, blocks []byte
	for at := 0; at < len(class); at += size {
		block := string(class[at : at+size])
		n, ok := numbers[block]
		if !ok {
			if len(numbers) == 256 {
				return fmt.Errorf("more than 256 different blocks")
			}
			n = byte(len(numbers))
			numbers[block] = n
			blocks = append(blocks, block...)
		}
		index = append(index, n)
	}
	return os.WriteFile(filepath.Join("data", "classes.bin"), append(index, blocks...), 0o644)
}
