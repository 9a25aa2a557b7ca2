package main

import "testing"

func TestLastMerge(t *testing.T) {
	ranks := []string{"a", "b", "c", "bc", "ab", "abc", "aé"}
	ids := make(map[string]uint32)
	for id, r := range ranks {
		ids[r] = uint32(id)
	}
	left, right, err := lastMerge("abc", 5, ids)
	if err != nil || ranks[left] != "a" || ranks[right] != "bc" {
		t.Errorf("abc is %d and %d, %v, want a and bc, the older pair", left, right, err)
	}
	if _, _, err := lastMerge("cab", 5, ids); err != nil {
		t.Errorf("cab: %v", err)
	}
	if _, _, err := lastMerge("abc", 3, ids); err == nil {
		t.Error("abc is made of newer tokens than itself")
	}
}

func TestCollect(t *testing.T) {
	v := map[string]any{"a": []any{"x", "y", "x", 1.0}, "b": "y"}
	if texts := collect(nil, make(map[string]bool), v); len(texts) != 2 {
		t.Errorf("collected %q, want x and y once", texts)
	}
}
