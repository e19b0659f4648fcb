package templates

// factLines lists what is known of a sale besides number and operator, without empty lines. Only what was sent
// was received.
func (o Outcome) factLines() []Line {
	f := o.Facts
	lines := []Line{{o.Text("facts.product"), f.Product}}
	switch {
	case o.State == "complete":
		lines = append(lines, Line{o.Text("facts.receive"), o.amountOf(f.Receive)}, Line{
			o.Text("facts.receiveNet"), o.amountOf(f.ReceiveNet),
		},
			Line{o.Text("facts.tax"), f.Tax}, Line{o.Text("facts.validity"), f.Validity}, Line{
				o.Text("facts.send"), o.faceValue(),
			})
	case o.live():
		lines = append(lines, Line{o.Text("facts.toReceive"), o.amountOf(f.Receive)}, Line{
			o.Text("facts.toReceiveNet"), o.amountOf(f.ReceiveNet),
		},
			Line{o.Text("facts.tax"), f.Tax}, Line{o.Text("facts.validity"), f.Validity})
	}
	lines = append(lines, []Line{
		{o.Text("facts.fee"), o.amountOf(f.Fee)},
		{o.Text("facts.paid"), o.Amount(o.Total)},
		{o.Text("facts.given"), o.given()},
		{o.Text("facts.change"), o.amountOf(o.Change)},
		{o.Text("facts.at"), o.DateTime(f.At)},
		{o.Text("facts.by"), join(f.Cashier, f.Till)},
		{o.Text("facts.code"), f.ReceiptCode},
		{o.Text("facts.transferRef"), f.TransferRef},
		{o.Text("facts.distributorRef"), f.DistributorRef},
		{o.Text("facts.providerRef"), f.ProviderRef},
		{o.Text("facts.billRef"), f.BillRef},
		{o.Text("facts.care"), f.CareNumber},
	}...)
	known := lines[:0]
	for _, line := range lines {
		if line.Value != "" {
			known = append(known, line)
		}
	}
	return known
}

// given is what was handed over, "" if exactly the price.
func (o Outcome) given() string {
	if o.Change == nil {
		return ""
	}
	return o.Amount(o.Given)
}

// faceValue is what the transfer service sold it for, "" if exactly the price.
func (o Outcome) faceValue() string {
	if o.Facts.Send == nil || *o.Facts.Send == o.Total {
		return ""
	}
	return o.amountOf(o.Facts.Send)
}

// amountOf writes an amount, "" if there is none.
func (o Outcome) amountOf(a sum) string {
	if a == nil {
		return ""
	}
	return o.Amount(*a)
}

// join puts a middle dot between two texts of which either may be empty.
func join(a, b string) string {
	if a == "" || b == "" {
		return a + b
	}
	return a + " · " + b
}
