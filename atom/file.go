package atom

import "strings"

// extensions are those of source files, and of what stands beside them in a
// repository.
var extensions = func() map[string]bool {
	set := map[string]bool{}
	for _, name := range strings.Fields(`
		ada adb asm astro awk bat bazel bash bib c cc cfg clj cljs cmake cmd coffee conf cpp cr cs cshtml css csv cu cxx
		d dart diff dockerfile edn ejs el elm env erb erl ex exs f90 fish fs fsx gemspec go gql gradle graphql groovy
		h haml hbs hcl hh hpp hrl hs htm html hxx ini ino ipynb java jinja jl js json json5 jsonc jsonl jsx kt kts less lisp lock
		log lua m make md mdx mjs cjs mts cts mk ml mli mm mod nim nix nu org pas patch php pl plist pm po prisma proto ps1 pug
		py pyi pyx r rake rb rego res rkt rs rst sass scala scm scss sh sln sol sql sqlite sum svelte svg swift tcl templ tex tf
		tfvars toml ts tsv tsx txt v vb vim vue wasm wat wgsl xaml xml yaml yml zig zsh`) {
		set[name] = true
	}
	return set
}()

// isFile reports whether a word without a slash is the name of a file.
func isFile(s string) bool {
	if len(s) < minPath || len(s) > maxPath {
		return false
	}
	dot := strings.LastIndexByte(s, '.')
	if dot < 1 || len(s)-dot > len("dockerfile")+1 || !extensions[s[dot+1:]] {
		return false
	}
	// 3.14.js is not a name, nor is a number with a unit.
	for i := range dot {
		if c := classes[s[i]]; c == letter || c == capital {
			return true
		}
	}
	return false
}

// IsPath reports whether a word is a path as a whole.
func IsPath(word string) bool {
	for kind, at := range Scan(word) {
		return kind == Path && at == Span{0, len(word)}
	}
	return false
}
