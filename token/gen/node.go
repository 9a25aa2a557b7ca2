package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// countScript counts the JSON array of strings on its standard input with
// both encodings and prints an array of [o200k, cl100k]. A text on which the
// reference itself gives up (its regular expressions may run into their
// backtracking limit) counts -1.
const countScript = `
const t = require(process.argv[1]);
const encs = ["o200k_base", "cl100k_base"].map(n => t.get_encoding(n));
const texts = JSON.parse(require("fs").readFileSync(0, "utf8"));
const one = (e, s) => { try { return e.encode_ordinary(s).length } catch { return -1 } };
process.stdout.write(JSON.stringify(texts.map(s => encs.map(e => one(e, s)))));
`

// classScript prints, for each regular expression of the JSON array on its
// standard input, the code points it matches. A vocabulary of single bytes
// makes the reference's tokens the bytes of what its pattern matched.
const classScript = `
const t = require(process.argv[1]);
const fs = require("fs");
const bytes = Array.from({length: 256}, (_, i) => Buffer.from([i]).toString("base64"));
let all = "";
for (let c = 0; c < 0x110000; c++) if (c < 0xd800 || c > 0xdfff) all += String.fromCodePoint(c);
const points = JSON.parse(fs.readFileSync(0, "utf8")).map(p => {
  const e = new t.Tiktoken("! 0 " + bytes.join(" "), {}, p);
  const text = Buffer.from(Uint8Array.from(e.encode_ordinary(all))).toString();
  e.free();
  return [...text].map(c => c.codePointAt(0));
});
process.stdout.write(JSON.stringify(points));
`

// node runs a script against the reference with in as JSON on its standard
// input and decodes what it prints into out.
func node(dir, script string, in, out any) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	data, err := json.Marshal(in)
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(context.Background(), "node", "--max-old-space-size=4096", "-e", script, dir)
	cmd.Stdin = bytes.NewReader(data)
	cmd.Stderr = os.Stderr
	printed, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("node: %w", err)
	}
	return json.Unmarshal(printed, out)
}
