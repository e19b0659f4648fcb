//go:build unix

package store

import (
	"errors"
	"os"
	"syscall"
)

// lockFile takes an exclusive lock that the kernel drops when the process
// ends, however it ends.
func lockFile(path string) (unlock func() error, err error) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB); err != nil {
		closeErr := f.Close()
		if errors.Is(err, syscall.EWOULDBLOCK) {
			return nil, errors.Join(
				errors.New(
					"another airtill process is using it; stop that one first, or use PostgreSQL for several processes",
				),
				closeErr,
			)
		}
		return nil, errors.Join(err, closeErr)
	}
	return f.Close, nil
}
