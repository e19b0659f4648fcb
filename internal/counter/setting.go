package counter

import (
	"context"
	"slices"
)

// checkSettings says what is wrong with what was answered.
func (q *Quote) checkSettings() {
	q.SettingProblems = map[string]error{}
	for _, d := range q.Product.Settings {
		if err := d.Check(d.Clean(q.Ask.Setting(d.Name))); err != nil {
			q.SettingProblems[d.Name] = err
		}
	}
}

// answers are the answers to the product's own questions, and nothing else a form may hold.
func (q *Quote) answers() []Setting {
	var known []Setting
	for _, d := range q.Product.Settings {
		if value := d.Clean(q.Ask.Setting(d.Name)); value != "" {
			known = append(known, Setting{Name: d.Name, Value: value})
		}
	}
	return known
}

// recall takes the same customer's last answers where there are none yet, and the account number where it is
// asked for again. Secrets are asked each time.
func (q *Quote) recall(ctx context.Context) error {
	if len(q.Product.Settings) == 0 || len(q.Ask.Settings) > 0 {
		return nil
	}
	last, err := q.counter.d.Sales.LastSettings(ctx, q.Ask.Seller.ShopID, q.Account, q.Product.SKU)
	if err != nil {
		return err
	}
	for _, d := range q.Product.Settings {
		i := slices.IndexFunc(last, func(s Setting) bool { return s.Name == d.Name })
		switch {
		case i >= 0 && !d.Secret():
			q.Ask.Settings = append(q.Ask.Settings, last[i])
		case q.Product.Addressed() && d.Repeats(q.Snapshot.TakesPhones(q.Provider.Code)):
			q.Ask.Settings = append(q.Ask.Settings, Setting{Name: d.Name, Value: q.Account})
		}
	}
	return nil
}
