package till

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"gorm.io/gorm"

	"airtill/internal/harness/storetest"
	"airtill/internal/store"
)

// TestAPageOfShiftsIsReadFromItsPlace: whichever page of the closed shifts it is, of a shop or of all, the list reads what it
// shows, from an index, and sorts nothing.
func TestAPageOfShiftsIsReadFromItsPlace(t *testing.T) {
	t.Parallel()
	at := time.Date(2026, 3, 14, 20, 0, 0, 0, time.UTC)
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		for _, last := range []Shift{{}, {ID: "01ABC", ClosedAt: &at}} {
			for f, index := range map[*Filter]string{{}: "shifts_all_by_close", {ShopID: "01ABC"}: "shifts_by_close"} {
				query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB { return f.closed(tx, last).Limit(9).Find(&[]Shift{}) })
				plan := storetest.Plan(t, db, query)
				require.Contains(t, plan, index)
				require.NotRegexp(t, "B-TREE|Sort", plan)
			}
		}
	})
}

// TestOpenShiftsAreFoundByTheirTills, however many a shop has closed.
func TestOpenShiftsAreFoundByTheirTills(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		query := db.Read(t.Context()).ToSQL(func(tx *gorm.DB) *gorm.DB {
			return openAt(tx, []string{"01ABC", "01DEF"}).Find(&[]Shift{})
		})
		require.Contains(t, storetest.Plan(t, db, query), "shifts_one_open_per_till")
	})
}

// TestOpenShiftsAreListedWithoutReadingAll there ever were.
func TestOpenShiftsAreListedWithoutReadingAll(t *testing.T) {
	t.Parallel()
	storetest.Each(t, func(t *testing.T, db *store.DB) {
		asked := storetest.Recorded(t, db)
		for _, f := range []Filter{{}, {Open: true}, {Open: true, ShopID: "x"}, {ShopID: "x"}, {Open: true, TillID: "x"}} {
			*asked = nil
			_, err := New(Deps{DB: db}).List(t.Context(), f)
			require.NoError(t, err)
			query := (*asked)[0]
			plan := storetest.Plan(t, db, query.SQL, query.Args...)
			require.Contains(t, plan, "shifts_one_open_per_till", query.SQL)
			require.NotRegexp(t, "shifts_by_shop|SCAN shifts USING INDEX sqlite_autoindex", plan, query.SQL)
		}
	})
}
