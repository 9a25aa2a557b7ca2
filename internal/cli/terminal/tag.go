package terminal

import "strings"

// Tag shortens the id of an overlay to its end, as those made at about the same time
// begin alike. The name that many imported ones have behind a slash stays too.
func Tag(id string) string {
	const show = 6
	before, at := "", len(id)
	for _, kind := range []string{"cmp_", "line:"} {
		if strings.HasPrefix(id, kind) {
			before = kind
		}
	}
	if slash := strings.LastIndexByte(id, '/'); slash > 0 && len(id)-slash <= 12 {
		at = slash
	}
	if at-len(before) <= show+1 {
		return VisibleLine(id)
	}
	return VisibleLine(before + "…" + strings.ToValidUTF8(id[at-show:at], "") + id[at:])
}
