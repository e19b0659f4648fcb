//go:build unix

package store

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
)

// lockFile takes an exclusive lock that the kernel drops when the process
// ends, however it ends.
func lockFile(path string) (unlock func() error, err error) {
	f, err := openOrMake(path)
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

// OwnedAsFolder gives a file that root has just made to the owner of its folder. A command that root runs must leave
// nothing that the till, which runs as somebody else, cannot open.
func OwnedAsFolder(made *os.File) error {
	if os.Geteuid() != 0 {
		return nil
	}
	folder, err := os.Stat(filepath.Dir(made.Name()))
	if err != nil {
		return err
	}
	if owner, ok := folder.Sys().(*syscall.Stat_t); ok {
		return made.Chown(int(owner.Uid), int(owner.Gid))
	}
	return nil
}
