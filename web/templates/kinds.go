package templates

import (
	"cmp"

	"airtill/internal/catalog"
	"airtill/web/locale"
)

// favourites are products of any kind, pinned by the shop: a group as counter.Favourites has it.
const favourites catalog.Kind = "favourite"

// kindIcons are the icons of kinds of product; others have a parcel.
var kindIcons = map[catalog.Kind]string{
	catalog.KindTopUp: "smartphone", catalog.KindData: "wifi", catalog.KindBundle: "layers", catalog.KindPIN: "ticket",
	catalog.KindVoucher: "ticket", catalog.KindBill: "file-text", catalog.KindElectricity: "zap",
	catalog.KindTV: "tv", catalog.KindLongDistance: "phone", catalog.KindMinutes: "phone", favourites: "star",
}

func kindIcon(k catalog.Kind) string { return cmp.Or(kindIcons[k], "package") }

// KindName returns what a kind of product is called.
func KindName(l locale.Locale, k catalog.Kind) string {
	return l.Word("kind.", string(k), l.Text("kind.other"))
}
