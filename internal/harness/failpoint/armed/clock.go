//go:build unix

package armed

import (
	"os"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
	"unsafe"
)

// clockSize is the length of a clock file: two numbers in the machine's byte
// order. The first is how many nanoseconds have passed more than the machine
// says; the second is by how many seconds the wall clock alone was set wrong.
const clockSize = 16

// clock is the file that AIRTILL_CLOCK names, mapped into memory; nil if none.
var clock = sync.OnceValue(func() *[2]atomic.Int64 {
	file, err := os.Open(os.Getenv("AIRTILL_CLOCK"))
	if err != nil {
		return nil
	}
	defer file.Close()
	mapped, err := syscall.Mmap(int(file.Fd()), 0, clockSize, syscall.PROT_READ, syscall.MAP_SHARED)
	if err != nil {
		return nil
	}
	return (*[2]atomic.Int64)(unsafe.Pointer(&mapped[0]))
})

// now is the clock of the machine as a test has moved it: forward as if that
// time had passed, or set wrong, as an administrator does it.
func now() time.Time {
	real, moved := time.Now(), clock() //nolint:forbidigo // it stands in for cmd's own call
	if moved == nil {
		return real
	}
	return setWrong(real.Add(time.Duration(moved[0].Load())), moved[1].Load())
}

// setWrong moves the wall clock of a time and not its monotonic reading, which
// is what setting a machine's clock does. Package time has no way to do it: the
// first word of a Time with a monotonic reading holds, from the top, that bit,
// 33 bits of wall seconds and 30 of nanoseconds.
func setWrong(t time.Time, seconds int64) time.Time {
	*(*uint64)(unsafe.Pointer(&t)) += uint64(seconds) << 30
	return t
}
