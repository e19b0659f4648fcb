package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"

	"airtill/internal/app"
	"airtill/internal/audit"
	"airtill/internal/person"
)

// exportPerson prints what is stored of a number, as JSON.
func exportPerson(ctx context.Context, t terminal, args []string) error {
	return t.withPerson(ctx, flag.NewFlagSet("person export", flag.ContinueOnError), args,
		func(people *person.Service, by audit.Actor, number string) error {
			found, err := people.Export(ctx, by, number)
			if err != nil {
				return err
			}
			out := json.NewEncoder(t.out)
			out.SetEscapeHTML(false)
			out.SetIndent("", "  ")
			return out.Encode(found)
		})
}

// erasePerson erases a number from all tables.
func erasePerson(ctx context.Context, t terminal, args []string) error {
	flags := flag.NewFlagSet("person erase", flag.ContinueOnError)
	reason := flags.String("reason", "", "why, for the audit trail; without the number")
	return t.withPerson(ctx, flags, args, func(people *person.Service, by audit.Actor, number string) error {
		found, err := people.Erase(ctx, by, number, *reason)
		if err == nil {
			_, err = fmt.Fprintf(t.out, "erased: the number of %d sales, %d entries of customer books\n",
				len(found.Sales), len(found.Book))
		}
		return err
	})
}

// withPerson does something to a number, read from standard input unless given, so that it need not be in the
// process list and the shell's history.
func (t terminal) withPerson(
	ctx context.Context, flags *flag.FlagSet, args []string, do func(*person.Service, audit.Actor, string) error,
) error {
	number := flags.String("number", "", "the account number; read from standard input if it is not given")
	if err := t.parse(flags, args); err != nil {
		return err
	}
	return withBooks(ctx, t, func(b *app.Books) error {
		people, err := b.CustomersData()
		if err == nil && *number == "" {
			*number, err = t.readLine("number")
		}
		if err != nil {
			return err
		}
		return do(people, audit.Command("web "+flags.Name()), *number)
	})
}
