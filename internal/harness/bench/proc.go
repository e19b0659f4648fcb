package bench

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"time"

	"airtill/internal/harness/stage"
)

// jiffy is the unit of processor times in /proc.
const jiffy = 10 * time.Millisecond

// processorTime is what a process has used so far, with the children that it has
// waited for.
func processorTime(pid int) (time.Duration, error) {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0, err
	}
	_, rest, _ := strings.Cut(string(stat), ") ") // "PID (NAME) STATE PPID …"
	fields := strings.Fields(rest)
	var sum int64
	for _, field := range fields[11:15] { // utime, stime, cutime, cstime
		n, err := strconv.ParseInt(field, 10, 64)
		if err != nil {
			return 0, err
		}
		sum += n
	}
	return time.Duration(sum) * jiffy, nil
}

// postgresTime is what the server and its sessions have used. One that ends
// meanwhile is counted by the server, which waits for it.
func postgresTime(p *stage.Postgres) (time.Duration, error) {
	server := p.Server.Cmd.Process.Pid
	var sum time.Duration
	for _, pid := range p.Sessions() {
		if took, err := processorTime(pid); err == nil { // else it has ended
			sum += took
		}
	}
	own, err := processorTime(server)
	return sum + own, err
}

// memory is what a process occupies that no other does, in bytes.
func memory(pid int) (int64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/smaps_rollup", pid))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, "Pss:"); found {
			kilobytes, err := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kilobytes << 10, err
		}
	}
	return 0, fmt.Errorf("the memory of process %d is not told", pid)
}

// used is processor time by whom it went to.
type used struct {
	web, database, redis, upstream, driver time.Duration
}

func (u used) minus(o used) used {
	return used{u.web - o.web, u.database - o.database, u.redis - o.redis, u.upstream - o.upstream, u.driver - o.driver}
}

func (u used) plus(o used) used {
	return used{u.web + o.web, u.database + o.database, u.redis + o.redis, u.upstream + o.upstream, u.driver + o.driver}
}

// till is what the till and what it stands on used, without the upstream and those
// who sell.
func (u used) till() time.Duration { return u.web + u.database + u.redis }

func (u used) all() time.Duration { return u.till() + u.upstream + u.driver }
