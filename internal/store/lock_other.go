//go:build !unix

package store

import "os"

// lockFile keeps the file open: systems without flock refuse to share a file
// opened for exclusive use, or rely on SQLite's own lock.
func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}
