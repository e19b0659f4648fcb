//go:build !unix

package store

import "os"

// lockFile keeps the file open: systems without flock refuse to share a file
// opened for exclusive use, or rely on SQLite's own lock.
func lockFile(path string) (unlock func() error, err error) {
	f, err := openOrMake(path)
	if err != nil {
		return nil, err
	}
	return f.Close, nil
}

// OwnedAsFolder does nothing: elsewhere files have no owner who alone may open them.
func OwnedAsFolder(*os.File) error { return nil }
