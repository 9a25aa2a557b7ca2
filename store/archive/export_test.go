package archive

import "os"

// ReadBy is Read that appends so many bytes at once.
var ReadBy = read

// Synchronising is Directory with another way to synchronise a file or a directory.
func Synchronising(name string, sync func(*os.File) error) (Sink, func() error, error) {
	d, err := newDirectory(name)
	if err != nil {
		return nil, nil, err
	}
	d.sync = sync
	return d, d.end, nil
}
