package audit_test

import (
	"log/slog"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

var (
	first  = audit.Key{ID: "k1", Secret: []byte("the first key")}
	second = audit.Key{ID: "k2", Secret: []byte("the second key")}
)

func signing(db *store.DB, at time.Time, keys ...audit.Key) *audit.Log {
	return audit.New(audit.Deps{DB: db, Now: func() time.Time { return at }, Log: slog.New(slog.DiscardHandler), Keys: keys})
}

// Who can write in the database can make a chain that adds up, and not sign it.
func TestAChainForgedWithoutTheKeyIsNamed(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		forge []audit.Key // what the forger writes the last three entries anew with
		want  string
	}{
		"another key of the same name": {[]audit.Key{{ID: "k1", Secret: []byte("guessed")}}, "notOurs"},
		"a key that is not ours":       {[]audit.Key{{ID: "k9", Secret: []byte("mine")}}, "unknownKey"},
		"not signed at all":            {nil, "unsigned"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				log := signing(db, noon, first)
				write(t, db, log, five()...)
				require.Empty(t, offences(t, log))
				disarm(t, db)
				asOwner(t, db, "DELETE FROM audit_entries WHERE seq > 2")
				if db.Dialect() == store.SQLite {
					asOwner(t, db, "DROP TRIGGER audit_head_stays")
				}
				forged := five()[2:]
				forged[0].Reason = "nicer"
				asOwner(t, db, "UPDATE audit_head SET seq = 2, hash = (SELECT hash FROM audit_entries WHERE seq = 2)")
				if c.forge == nil { // the program itself refuses to go on without the key
					err := db.Tx(t.Context(), func(tx *store.Tx) error { return signing(db, noon).Write(t.Context(), tx, forged[0]) })
					require.ErrorContains(t, err, "VAULT_KEY_FILE")
					c.forge = []audit.Key{{ID: "k9"}}
				}
				later := noon.Add(48 * time.Hour)
				write(t, db, signing(db, later, c.forge...), forged...)
				if c.want == "unsigned" {
					asOwner(t, db, "UPDATE audit_entries SET mac = '' WHERE seq > 2")
				}
				found := offences(t, signing(db, later, first))
				require.NotEmpty(t, found)
				require.Equal(t, audit.Offence{Seq: 5, Problem: c.want}, found[len(found)-1])
			})
		})
	}
}

// A chain of the version before stands: its end is signed at the next start, and
// what its processes write while they still run is vouched for by the next entry.
func TestAChainFromBeforeIsSignedOnce(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		old, log := newLog(db), signing(db, noon, first)
		write(t, db, old, five()...)
		require.Equal(t, []audit.Offence{{Seq: 5, Problem: "unsigned"}}, offences(t, log))
		for range 2 {
			require.NoError(t, log.Begin(t.Context(), audit.Command("test")))
		}
		records, err := log.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		require.Len(t, records, 6, "signed once")
		require.Empty(t, offences(t, log))

		disarm(t, db)
		write(t, db, signing(db, noon.Add(time.Hour), second), five()[0])
		asOwner(t, db, "UPDATE audit_entries SET mac = '' WHERE seq = 7") // as the version before writes
		require.NoError(t, log.Begin(t.Context(), audit.Command("test")))
		records, err = log.List(t.Context(), audit.Filter{})
		require.NoError(t, err)
		require.Len(t, records, 7, "not again while those processes still run")
		require.Empty(t, offences(t, signing(db, noon.Add(2*time.Hour), first)))
		write(t, db, signing(db, noon.Add(3*time.Hour), first), five()[1])
		require.Empty(t, offences(t, signing(db, noon.Add(240*time.Hour), first)), "vouched for")
	})
}

// A new key goes on with the chain; what the old one signed is vouched for by
// what the new one does, when the old one is gone.
func TestKeysFollowOneAnother(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		write(t, db, signing(db, noon, first), five()...)
		both := signing(db, noon, second, first)
		require.Empty(t, offences(t, both))
		require.NotEmpty(t, offences(t, signing(db, noon.Add(48*time.Hour), second)), "nothing vouches for them yet")
		write(t, db, both, five()[0])
		require.Empty(t, offences(t, signing(db, noon.Add(48*time.Hour), second)))
		require.Empty(t, offences(t, newLog(db)), "without a key the hashes are checked")
	})
}

func TestAnEmptyChainIsNotSigned(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	log := signing(db, noon, first)
	require.NoError(t, log.Begin(t.Context(), audit.Command("test")))
	records, err := log.List(t.Context(), audit.Filter{})
	require.NoError(t, err)
	require.Empty(t, records)
	require.Empty(t, offences(t, log))
}

// Who writes entries anew without the key is found out though the till has gone on and signed since, whatever time they
// say that the entries are of, and whether they leave the signature out or name a key that nobody has.
func TestForgedEntriesAreNamedThoughSignedOnesFollow(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		after        time.Duration
		mac, problem string
	}{
		"unsigned, of their time":      {49 * time.Hour, "", "unsigned"},
		"unsigned, dated back":         {time.Hour, "", "unsigned"},
		"of another key":               {49 * time.Hour, "k9:00", "unknownKey"},
		"of another key, dated back":   {time.Hour, "k9:00", "unknownKey"},
		"of a key of ours, made up":    {49 * time.Hour, "k1:00", "notOurs"},
		"of a key of ours, dated back": {time.Hour, "k1:00", "notOurs"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			storetest.Each(t, func(t *testing.T, db *store.DB) {
				disarm(t, db)
				write(t, db, signing(db, noon, first), five()...)
				for _, at := range []time.Duration{48 * time.Hour, c.after, 50 * time.Hour} {
					write(t, db, signing(db, noon.Add(at), first), five()[0])
				}
				log := signing(db, noon.Add(51*time.Hour), first)
				require.Empty(t, offences(t, log))
				asOwner(t, db, "UPDATE audit_entries SET mac = '"+c.mac+"' WHERE seq = 7")
				require.Equal(t, []audit.Offence{{Seq: 7, Problem: c.problem}}, offences(t, log))
			})
		})
	}
}

func TestAnotherKeyOfTheSameNameDoesNotFit(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	write(t, db, signing(db, noon, first), five()...)
	require.NoError(t, signing(db, noon, second, first).KeysFit(t.Context()))
	err := signing(db, noon, audit.Key{ID: first.ID, Secret: second.Secret}).KeysFit(t.Context())
	require.Equal(t, "audit.other-key", fault.CodeOf(err))
}

// What the hash of an entry covers, and in which form, stays for ever: chains of years ago are checked by it.
func TestTheHashOfAnEntryStaysAsItIs(t *testing.T) {
	t.Parallel()
	db := storetest.New(t)
	by := audit.Actor{UserID: "u", Name: "nora", Role: "manager", ShopID: "s", TillID: "t"}
	entry := audit.Entry{
		Actor: by, Act: audit.ShopChanged, Subject: audit.Of(audit.Shop, "s"), Reason: "moved",
		Facts: audit.Facts{audit.Text("name", "Quay")},
	}
	write(t, db, newLog(db), entry, entry)
	records, err := newLog(db).List(t.Context(), audit.Filter{})
	require.NoError(t, err)
	require.Equal(t, []string{
		"71493ec3e576179cdd6550b444ac1a1e08061656af1eb352c6026f9a4d65f1a1",
		"43bbc6a6a8255593e312acffae368af1cc4ebe6d1daf15f53fa0f053e5ab1b70",
	}, []string{records[1].Hash, records[0].Hash})
}
