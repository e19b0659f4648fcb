package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"filippo.io/age"

	"airtill/internal/app"
	"airtill/internal/backup"
	"airtill/internal/restore"
)

// writeBackup writes the whole database, encrypted, while the till goes on selling.
func writeBackup(ctx context.Context, t terminal) error {
	var to string
	var keys []string
	t.flags.StringVar(&to, "to", "", "the file to write, which must not be there yet; - for standard output")
	t.flags.Func("recipient", "the public key of who may read it, age1…; several may be given", func(k string) error {
		keys = append(keys, k)
		return nil
	})
	if err := t.parse(); err != nil {
		return err
	}
	recipients, err := backup.Recipients(keys)
	if err != nil {
		return err
	}
	c, err := t.config(config.checkDatabase)
	if err != nil {
		return err
	}
	write := func(out io.Writer) error {
		header, summary, err := backup.Write(ctx, c.DatabaseURL, out, version(), now(), recipients...)
		if err == nil {
			fmt.Fprintf(t.err, "backed up %d rows of %d tables (%s, schema %d). The keys of VAULT_KEY_FILE "+
				"are not in it: keep them elsewhere, without them no PIN of it can be read\n",
				summary.Count(), len(summary.Rows), header.Database, header.Schema)
		}
		return err
	}
	switch to {
	case "":
		return errors.New("say where to: --to FILE, or --to - for standard output")
	case "-":
		return write(t.out)
	}
	return newFile(to, write)
}

// newFile writes a file that appears once it is whole, and replaces none.
func newFile(path string, write func(io.Writer) error) error {
	if err := mustBeNew(path); err != nil {
		return err
	}
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".unfinished-*")
	if err != nil {
		return err
	}
	err = write(file)
	err = errors.Join(err, file.Sync(), file.Close())
	if err == nil {
		err = giveName(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return nil
}

func mustBeNew(path string) error {
	if _, err := os.Lstat(path); !errors.Is(err, fs.ErrNotExist) {
		return errors.Join(fmt.Errorf("%s is there already; give another name", path), err)
	}
	return nil
}

// giveName moves a file to a path that is still free: renaming would replace what another command wrote meanwhile.
func giveName(written, path string) error {
	if err := os.Link(written, path); err == nil {
		return os.Remove(written)
	}
	if err := mustBeNew(path); err != nil {
		return err
	}
	return os.Rename(written, path) // a disk without links, as many sticks are
}

// makeBackupKey makes a key that opens backups, and prints its public half.
func makeBackupKey(_ context.Context, t terminal) error {
	var to string
	t.flags.StringVar(&to, "to", "", "the file for the private half, which must not be there yet")
	if err := t.parse(); err != nil {
		return err
	}
	if to == "" {
		return errors.New("say where to: --to FILE")
	}
	key, err := age.GenerateX25519Identity()
	if err != nil {
		return err
	}
	err = newFile(to, func(out io.Writer) error {
		_, err := fmt.Fprintf(out, "# opens backups of airtill for %s\n%s\n", key.Recipient(), key)
		return err
	})
	if err == nil {
		_, err = fmt.Fprintln(t.out, key.Recipient())
	}
	return err
}

// restoreBackup restores a backup into an empty database, and makes it safe to sell with.
func restoreBackup(ctx context.Context, t terminal) error {
	var from, key string
	t.flags.StringVar(&from, "from", "", "the file to read; - for standard input")
	t.flags.StringVar(&key, "identity", "", "the file of the private key")
	if err := t.parse(); err != nil {
		return err
	}
	if from == "" || key == "" {
		return errors.New("say what and with which key: --from FILE --identity FILE")
	}
	identities, err := backup.Identities(key)
	if err != nil {
		return err
	}
	c, err := t.config(config.checkServe, config.hasVaultKey)
	if err != nil {
		return err
	}
	in := t.in
	if from != "-" {
		file, err := os.Open(from)
		if err != nil {
			return err
		}
		defer file.Close()
		in = file
	}
	header, summary, err := backup.Restore(ctx, c.DatabaseURL, in, now(), identities...)
	if err != nil {
		return err
	}
	fmt.Fprintf(t.out, "restored %d rows of %d tables, as they were at %s\n",
		summary.Count(), len(summary.Rows), header.MadeAt.Format("2006-01-02 15:04:05 UTC"))
	if err := restored(ctx, t); err != nil {
		return fmt.Errorf("the rows are restored, and the till does not start on them yet; put this right and run "+
			"web restored: %w", err)
	}
	return nil
}

// hasVaultKey refuses to begin without the keys: beside a SQLite file new ones would be made, which open
// nothing and sign what follows.
func (c config) hasVaultKey() error {
	if _, err := os.Stat(c.VaultKeyPath()); err != nil {
		return fmt.Errorf("put the vault's keys of the till that was backed up there first: %w", err)
	}
	return nil
}

// restored makes a database restored from backup safe to sell with.
func restored(ctx context.Context, t terminal) error {
	return withBooks(ctx, t, func(b *app.Books) error {
		if err := (config{Config: b.Config}).checkServe(); err != nil {
			return err
		}
		if err := b.Audit.KeysFit(ctx); err != nil {
			return err
		}
		a, err := app.New(ctx, b)
		if err != nil {
			return err
		}
		report, err := a.Restore.Restored(ctx, t.by())
		if err == nil {
			err = printRestored(t.out, report)
		}
		return errors.Join(err, a.Close())
	})
}

func printRestored(out io.Writer, r restore.Report) error {
	fmt.Fprintf(out, "the installation code is now %s\n", r.Code)
	for _, sale := range r.Voided {
		fmt.Fprintf(out, "voided: receipt %s, cash due back %s\n", sale.Code, sale.Price())
	}
	for _, sale := range r.Found {
		fmt.Fprintf(out, "was sent in the time that is lost: receipt %s, now %s\n", sale.Code, sale.Fulfilment)
	}
	for _, ref := range r.Strays {
		fmt.Fprintf(out, "sent in the time that is lost, unknown here: %s\n", ref)
	}
	_, err := fmt.Fprintln(
		out, "the till may sell again; count the drawers, and settle what the upstream has and the books do not",
	)
	return err
}
