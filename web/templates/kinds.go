package templates

import "airtill/web/locale"

// kindIcon returns the icon of a kind of product.
func kindIcon(k Kind) string {
	switch k {
	case KindTopUp:
		return "smartphone"
	case KindData:
		return "wifi"
	case KindBundle:
		return "layers"
	case KindPIN, KindVoucher:
		return "ticket"
	case KindBill:
		return "file-text"
	case KindElectricity:
		return "zap"
	case KindTV:
		return "tv"
	case KindLongDist, KindMinutes:
		return "phone"
	case KindFavourite:
		return "star"
	case KindOther:
	}
	return "package"
}

// KindName returns what a kind of product is called.
func KindName(l locale.Locale, k Kind) string {
	switch k {
	case KindTopUp:
		return l.Text("kind.topUp")
	case KindData:
		return l.Text("kind.data")
	case KindBundle:
		return l.Text("kind.bundle")
	case KindPIN:
		return l.Text("kind.pin")
	case KindVoucher:
		return l.Text("kind.voucher")
	case KindBill:
		return l.Text("kind.bill")
	case KindElectricity:
		return l.Text("kind.electricity")
	case KindTV:
		return l.Text("kind.tv")
	case KindMinutes:
		return l.Text("kind.minutes")
	case KindLongDist:
		return l.Text("kind.longDistance")
	case KindFavourite:
		return l.Text("kind.favourite")
	case KindOther:
	}
	return l.Text("kind.other")
}
