package chaos

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// The databases a run can be on.
const (
	sqliteDB   = "sqlite"
	postgresDB = "postgres"
)

// Options is what a run is asked for.
type Options struct {
	Seed     uint64
	Duration time.Duration // of the time in which everything goes wrong
	Faults   []string      // names or families of faults; "all", or "none"
	DB       string        // sqlite or postgres
	Robots   int           // cashiers, each at a till of her own
	Pace     int           // sales a second, of all robots together
	Speed    int           // how many seconds pass in one while the world heals
	Backlog  int           // how many sales are left unknown at once at the end
	Busy     int           // how many transfers are sold in a busy hour, sixty of them not answered; 0 for none
	Calm     bool          // measure how soon cut and hung connections are known
	Broken   string        // a law that the till is not to keep, "" for none
	Bin      string        // where the programs are, or are built if they are not there; "" builds them for this run
	Dir      string        // where everything of the run goes
}

// check refuses options that make no run.
func (o *Options) check() error {
	switch {
	case o.DB != sqliteDB && o.DB != postgresDB:
		return fmt.Errorf("the database is %s or %s, not %q", sqliteDB, postgresDB, o.DB)
	case o.Duration <= 0 || o.Robots < 2 || o.Robots > 90 || o.Pace < 1 || o.Speed < 1:
		return errors.New("a run needs time, 2 to 90 robots, a pace and a speed")
	}
	if o.Busy != 0 && (o.Busy < 10*busyLost || o.Busy > 100*busyLost) {
		return fmt.Errorf("a busy hour has %d to %d transfers", 10*busyLost, 100*busyLost)
	}
	for _, name := range o.Faults {
		if name != "all" && name != "none" && !slices.ContainsFunc(faults(), func(f fault) bool { return f.named(name) }) {
			return fmt.Errorf("there is no fault %q; there are: %s", name, strings.Join(Faults(), " "))
		}
	}
	return nil
}

// Faults lists the names of all faults.
func Faults() []string {
	var names []string
	for _, f := range faults() {
		names = append(names, f.name)
	}
	return names
}

// wanted are the faults of this run.
func (o *Options) wanted() []fault {
	var wanted []fault
	for _, f := range faults() {
		if f.on != "" && f.on != o.DB {
			continue
		}
		if slices.ContainsFunc(o.Faults, func(name string) bool { return name == "all" || f.named(name) }) {
			wanted = append(wanted, f)
		}
	}
	return wanted
}

// command is what runs this again.
func (o *Options) command() string {
	text := fmt.Sprintf("go run ./cmd/chaos -seed %d -duration %s -faults %s -db %s -robots %d -pace %d -speed %d -backlog %d",
		o.Seed, o.Duration, strings.Join(o.Faults, ","), o.DB, o.Robots, o.Pace, o.Speed, o.Backlog)
	if o.Busy > 0 {
		text += fmt.Sprintf(" -busy %d", o.Busy)
	}
	if !o.Calm {
		text += " -calm=false"
	}
	if o.Broken != "" {
		text += " -broken " + o.Broken
	}
	return text
}
