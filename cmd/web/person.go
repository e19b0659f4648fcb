package main

import (
	"context"
	"encoding/json"
	"fmt"

	"airtill/internal/app"
	"airtill/internal/person"
)

// exportPerson prints what is stored of a number, as JSON.
func exportPerson(ctx context.Context, t terminal) error {
	return t.withPerson(ctx, func(people *person.Service, number string) error {
		found, err := people.Export(ctx, t.by(), number)
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
func erasePerson(ctx context.Context, t terminal) error {
	reason := t.flags.String("reason", "", "why, for the audit trail; without the number")
	return t.withPerson(ctx, func(people *person.Service, number string) error {
		found, err := people.Erase(ctx, t.by(), number, *reason)
		if err == nil {
			_, err = fmt.Fprintf(t.out, "erased: the number of %d sales, %d entries of customer books\n",
				len(found.Sales), len(found.Book))
		}
		return err
	})
}

// withPerson does something to a number, read from standard input unless given, so that it need not be in the
// process list and the shell's history.
func (t terminal) withPerson(ctx context.Context, do func(*person.Service, string) error) error {
	number := t.flags.String("number", "", "the account number; read from standard input if it is not given")
	if err := t.parse(); err != nil {
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
		return do(people, *number)
	})
}
