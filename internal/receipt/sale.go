package receipt

// SaleKind is what was sold, as far as papers differ.
type SaleKind string

// The kinds of sale.
const (
	TopUp SaleKind = "top-up"
	PIN   SaleKind = "pin"
	Bill  SaleKind = "bill"
)

// Slip is the kind of a sale's paper.
type Slip string

// The slips.
const (
	Receipt Slip = "receipt"
	Waiting Slip = "waiting" // the outcome is open: no receipt
	Refund  Slip = "refund"  // the cash went back
)

// Copy is whom a paper is for.
type Copy string

// The copies. The shop's shows no PIN, and only the end of an account number.
const (
	Customers Copy = "customer"
	Shops     Copy = "shop"
)

// Field is a fact and its name, as the customer reads them.
type Field struct{ Name, Value string }

// Words are the texts of a sale's paper in the customer's language.
type Words struct {
	Title       string // of this slip
	Status      string // SENT, PAID, WAITING - NOT A RECEIPT …
	WaitingMore string
	ShopCopy    string // "" on the customer's
	Duplicate   string // which copy, by whom and when; "" on the first print
	Practice    string // "" on a real sale
	PIN         string // the word for it
}

// Sale is all that a sale's paper may say, written for the customer. The kind of sale, the slip and the copy
// decide what it does.
type Sale struct {
	Kind  SaleKind
	Slip  Slip
	Copy  Copy
	Words Words

	Shop      string
	Address   []string
	TaxID     string
	Place     string // till and cashier
	At        string // local time, with its zone
	Number    string // the receipt number
	Code      string // the short code
	StatusURL string

	Provider, Product, Care              Field
	TransferRef, ProviderRef, OwnRef     Field
	Account, Masked, BillRef             Field
	Received, BeforeTax, Tax, Validity   Field
	Serial, Expiry, Redeem, Token, Units Field
	Price, Fee, Total, Paid, Change      Field
	PIN                                  string  // in groups
	Others                               []Field // what else the provider wrote, under its own names
	ProviderText                         string
}

// Paper writes the paper of a sale.
func (s Sale) Paper(language string, rtl bool, width, columns int) Paper {
	p := Paper{Language: language, RTL: rtl, Title: s.Words.Title, Width: width, Columns: columns}
	s.head(&p)
	s.facts(&p)
	if s.Slip == Receipt {
		s.secrets(&p)
	}
	s.money(&p)
	s.foot(&p)
	return p
}

func (s Sale) head(p *Paper) {
	p.add(Head, s.Shop)
	for _, line := range s.Address {
		p.add(Centre, line)
	}
	p.add(Centre, s.TaxID)
	p.add(Centre, s.Place)
	p.add(Centre, s.At)
	for _, stamp := range []string{s.Words.Practice, s.Words.Status, s.Words.ShopCopy, s.Words.Duplicate} {
		p.add(Stamp, stamp)
	}
	p.add(Centre, s.Words.Title+" "+s.Number)
	p.rule()
}

// facts are the middle of the table. A waiting slip carries our own reference only, and on no copy the whole
// number.
func (s Sale) facts(p *Paper) {
	fields := []Field{s.Provider, s.Product, s.account(), s.BillRef}
	if s.Slip == Waiting {
		fields = []Field{s.Provider, s.Product, s.account(), s.OwnRef}
	} else {
		if s.Slip == Receipt && s.Kind != Bill {
			fields = append(fields, s.Received, s.BeforeTax, s.Tax, s.Validity)
		}
		if s.Slip == Receipt && s.Kind == Bill && s.Copy == Customers {
			fields = append(fields, s.Units)
		}
		fields = append(fields, s.TransferRef, s.ProviderRef, s.OwnRef)
	}
	for _, f := range append(fields, s.Care) {
		p.pair(f)
	}
}

// account is the number as this copy may show it; a PIN has none.
func (s Sale) account() Field {
	switch {
	case s.Kind == PIN:
		return Field{}
	case s.Slip == Receipt && s.Copy == Customers:
		return s.Account
	}
	return s.Masked
}

// secrets are as good as cash; the shop's copy has none.
func (s Sale) secrets(p *Paper) {
	if s.Copy == Shops {
		return
	}
	if s.PIN != "" {
		p.rule()
		p.add(Centre, s.Words.PIN)
		p.add(Secret, s.PIN)
		p.pair(s.Serial)
		p.pair(s.Expiry)
	}
	p.pair(s.Token)
	for _, other := range s.Others {
		p.pair(other)
	}
	p.add(Text, s.Redeem.Value)
	p.add(Text, s.ProviderText)
}

func (s Sale) money(p *Paper) {
	p.rule()
	p.pair(s.Price)
	p.pair(s.Fee)
	p.Lines = append(p.Lines, Line{Kind: Total, Name: Clean(s.Total.Name), Value: Clean(s.Total.Value)})
	if s.Slip != Refund { // in full
		p.pair(s.Paid)
		p.pair(s.Change)
	}
}

func (s Sale) foot(p *Paper) {
	p.rule()
	if s.StatusURL != "" {
		p.Lines = append(p.Lines, Line{Kind: Code, Value: s.StatusURL})
	}
	p.add(Head, s.Code)
	if s.Slip == Waiting {
		p.add(Text, s.Words.WaitingMore)
		p.add(Stamp, s.Words.Status)
	}
}
