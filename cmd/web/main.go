// Command web is the till: its screens, its jobs, and the commands that set it
// up and check it.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	_ "time/tzdata" // shops have time zones, even if the machine has none

	"github.com/caarlos0/env/v11"
	"github.com/redis/go-redis/v9"

	"airtill/internal/audit"
	"airtill/internal/fault"
)

func main() {
	slog.SetDefault(slog.New(library{newLog(os.Stderr, slog.LevelInfo).Handler()})) // package log writes there, too
	// every error it prints is returned too, and logged where it matters
	redis.SetLogger(silence{})
	ends := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) { // the terminal was closed; nohup has it ignored
		ends = append(ends, syscall.SIGHUP)
	}
	ctx, stop := signal.NotifyContext(context.Background(), ends...)
	context.AfterFunc(ctx, stop) // a second signal ends the process at once
	os.Exit(run(ctx, os.Args[1:], os.Environ(), os.Stdin, os.Stdout, os.Stderr))
}

type silence struct{}

// Printf does nothing.
func (silence) Printf(context.Context, string, ...any) {}

// terminal is what a command may touch of its surroundings.
type terminal struct {
	in       io.Reader
	out, err io.Writer
	env      map[string]string
	flags    *flag.FlagSet // the command's, by its name
	args     []string      // behind that name
}

// command is one thing this program does.
type command struct {
	name  string // one or two words
	flags string
	does  string
	run   func(ctx context.Context, t terminal) error
}

func commands() []command {
	return []command{
		{"demo", "[--addr HOST:PORT] [--data DIR] [--seed N]", "a till to try out, with a simulator beside it", demo},
		{"serve", "", "the till, configured by the environment", plain(serve)},
		{"migrate", "", "bring the database up to date", plain(migrate)},
		{
			"shop add", "--name N --zone Europe/Dublin --country IE --currency EUR --tills 2",
			"add a shop with its tills", addShop,
		},
		{
			"user add", "--username U --role R [--shop N]", "add a user; the password is read from standard input",
			addUser,
		},
		{
			"seed", "[--sales N] [--days D] [--shops S] [--seed N] [--bare]",
			"fill an empty database with invented trade, to try out reports", seed,
		},
		{"report rebuild", "", "sum the reports anew from the sales, while they are read", plain(rebuildReports)},
		{"check", "", "try everything the environment names, a line each", plain(check)},
		{"verify", "", "check the books and the audit chain, and name what offends", plain(verify)},
		{"backup key", "--to FILE", "make a key that opens backups, and print the public half of it", makeBackupKey},
		{
			"backup", "--to FILE|- --recipient age1…", "write the database, encrypted, while others sell with it",
			writeBackup,
		},
		{
			"restore", "--from FILE|- --identity FILE",
			"restore a backup into an empty database, and make it safe to sell with", restoreBackup,
		},
		{"restored", "", "make a database that was restored by other means safe to sell with", plain(restored)},
		{"limit list", "", "every limit, and what it stopped in the last week", plain(listLimits)},
		{
			"limit set", "--of number --per day --count 5 [--shop N]",
			"how much may be sold before a manager must allow more", setLimit,
		},
		{
			"sendmode", "[--provider CODE --mode M | --product SKU --mode M]",
			"how transfers are sent where SEND_MODE does not fit: wait, defer or default", sendMode,
		},
		{
			"validating", "[--provider CODE [--off]]", "providers that check a number before any cash is taken",
			validating,
		},
		{
			"vault rotate", "", "seal all under the first key of VAULT_KEY_FILE, so that older ones can go",
			plain(rotateVault),
		},
		{"vault rewrap", "", "as vault rotate was called", rewrapIsRotate},
		{"person export", "[--number N]", "print what is stored of a customer's number, as JSON", exportPerson},
		{
			"person erase", "--reason R [--number N]",
			"erase a customer's number; it is read from standard input if it is not given", erasePerson,
		},
		{"version", "", "say which build this is", printVersion},
		{"licences", "", "print the licence of everything this program is made of", printLicences},
		{"help", "", "print this", help},
	}
}

// run is the whole program; it returns the exit status: 1 for a failure, 2 for a wrong command line.
func run(ctx context.Context, args, environ []string, in io.Reader, out, problems io.Writer) int {
	t := terminal{in: in, out: out, err: problems, env: env.ToMap(environ)}
	for _, c := range commands() {
		words := strings.Fields(c.name)
		if len(args) >= len(words) && slices.Equal(args[:len(words)], words) {
			t.flags, t.args = flag.NewFlagSet(c.name, flag.ContinueOnError), args[len(words):]
			return t.status(c.run(ctx, t))
		}
	}
	_ = help(ctx, terminal{out: problems}) // nothing can be done about a failure
	return 2
}

// errUsage has been explained already.
var errUsage = errors.New("usage")

// errSaid is a failure whose details have been printed already.
var errSaid = errors.New("failed")

func (t terminal) status(err error) int {
	switch {
	case err == nil, errors.Is(err, flag.ErrHelp):
		return 0
	case errors.Is(err, errUsage):
		return 2
	case !errors.Is(err, errSaid):
		said := explain(err)
		if field := fault.FieldOf(err); t.flags.Lookup(field) != nil { // some words are a form's: "Choose the shop."
			said = "--" + field + ": " + said
		}
		fmt.Fprintln(t.err, "web:", said)
	}
	return 1
}

// explain prefers words meant for people. Whoever runs a command can also do something about a database that is away or
// takes nothing, if they are told why.
func explain(err error) string {
	kind := fault.KindOf(err)
	if message := fault.Message(err); message != "" && kind != fault.Unavailable && kind != fault.Unsure {
		return message
	}
	return err.Error()
}

func help(_ context.Context, t terminal) error {
	fmt.Fprint(t.out, "airtill, the till for airtime\n\nusage:\n")
	for _, c := range commands() {
		fmt.Fprintf(t.out, "  web %s\n      %s\n", strings.TrimSpace(c.name+" "+c.flags), c.does)
	}
	_, err := fmt.Fprint(t.out, "\nThe environment is described in README.md; web check tries it.\n")
	return err
}

// plain makes a command of work that takes no flags.
func plain(work func(context.Context, terminal) error) func(context.Context, terminal) error {
	return func(ctx context.Context, t terminal) error {
		if err := t.parse(); err != nil {
			return err
		}
		return work(ctx, t)
	}
}

// by is the command as the audit names it.
func (t terminal) by() audit.Actor { return audit.Command("web " + t.flags.Name()) }

// parse reads a command's flags, and refuses unknown ones.
func (t terminal) parse() error {
	t.flags.SetOutput(t.err)
	err := t.flags.Parse(t.args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		return err
	case err != nil:
		return errUsage
	case t.flags.NArg() > 0:
		fmt.Fprintf(t.err, "web %s: unexpected argument %q\n", t.flags.Name(), t.flags.Arg(0))
		return errUsage
	}
	return nil
}
