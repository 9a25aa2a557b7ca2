package main

func writeCounts(dir string) error { return nil }
func compare(dir, root string) error { return nil }
