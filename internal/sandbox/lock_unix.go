//go:build unix

package sandbox

import (
	"errors"
	"os"
	"syscall"
)

// lock takes a file for this process alone; the kernel lets go of it when the
// process ends, however it ends.
func lock(file *os.File) error {
	err := syscall.Flock(int(file.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	if errors.Is(err, syscall.EWOULDBLOCK) {
		return errors.New("another process is using this directory")
	}
	return err
}
