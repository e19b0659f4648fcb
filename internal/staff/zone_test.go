package staff_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/staff"
)

// A shop may have every zone that is offered, in a country that it may have; and each country has one.
func TestEveryZoneThatIsOfferedCanBeHad(t *testing.T) {
	t.Parallel()
	countries := map[string]bool{}
	for _, zone := range staff.Zones() {
		_, err := time.LoadLocation(zone.Name)
		require.NoError(t, err, zone.Name)
		countries[zone.Country] = true
	}
	for _, country := range staff.Countries() {
		require.True(t, countries[country] || country == "BV" || country == "HM", "nobody lives in the last two: %s", country)
	}
}
