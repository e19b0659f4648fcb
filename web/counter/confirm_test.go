package counter

import (
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/text/language"

	"airtill/internal/catalog"
	"airtill/web/locale"
)

func TestHowToRedeemIsReadFromTheProductWhereItSaysSo(t *testing.T) {
	t.Parallel()
	l := locale.New(language.English, nil)
	require.Equal(t, "Dial *123#", redeemText(l, &catalog.Product{Redemption: "ReadAdditionalInformation", AdditionalInformation: "Dial *123#"}))
	require.Contains(t, redeemText(l, &catalog.Product{Redemption: "ReadReceipt"}), "receipt")
	require.Empty(t, redeemText(l, &catalog.Product{Redemption: "Immediate", AdditionalInformation: "for the integrator"}))
}
