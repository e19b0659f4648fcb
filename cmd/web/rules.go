package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"airtill/internal/app"
	"airtill/internal/fault"
	"airtill/internal/limit"
	"airtill/internal/money"
	"airtill/internal/sales"
)

// withRules gives a command the sales service on the books alone: it sets rules and sends nothing.
func withRules(ctx context.Context, t terminal, work func(*app.Books, *sales.Service) error) error {
	return withBooks(ctx, t, func(b *app.Books) error {
		return work(b, sales.New(sales.Deps{
			DB: b.DB, Audit: b.Audit, Now: now, Log: b.Log, Webhooks: b.Config.Webhooks(),
		}))
	})
}

func withLimits(ctx context.Context, t terminal, work func(*app.Books, *limit.Service) error) error {
	return withBooks(ctx, t, func(b *app.Books) error {
		return work(b, limit.New(limit.Deps{DB: b.DB, Audit: b.Audit, Now: now, Log: b.Log}))
	})
}

// setLimit sets or removes a limit.
func setLimit(ctx context.Context, t terminal) error {
	var shop, of, per, count, amount, currency string
	var remove bool
	t.flags.StringVar(&shop, "shop", "", "name or id of the shop; empty for every shop without a limit of its own")
	t.flags.StringVar(
		&of, "of", "",
		"sale, number, cashier, refund, float for the mark below which a shop is warned (with --per day for what it "+
			"may use of the float), or kept for what one leaves of it to the others",
	)
	t.flags.StringVar(&per, "per", "each", "each, hour or day")
	t.flags.StringVar(&count, "count", "", "how many sales")
	t.flags.StringVar(&amount, "amount", "", "or how much money, like 250.00")
	t.flags.StringVar(&currency, "currency", "", "of the amount, like EUR")
	t.flags.BoolVar(&remove, "remove", false, "take the limit away")
	if err := t.parse(); err != nil {
		return err
	}
	set := limit.Limit{
		Kind:     limit.Kind{Subject: limit.Subject(of), Period: limit.Period(per), Measure: limit.Count},
		Currency: money.Currency(currency),
	}
	if currency != "" {
		set.Measure = limit.Sum
	}
	err := knownLimit(set.Kind)
	if err != nil {
		return err
	}
	if !remove {
		set.Most, err = mostOf(count, amount, set.Currency)
	} else if count+amount != "" {
		err = errOneOf
	}
	if err != nil {
		return err
	}
	return withLimits(ctx, t, func(b *app.Books, s *limit.Service) error {
		if shop != "" {
			if set.ShopID, err = shopNamed(ctx, b, shop); err != nil {
				return err
			}
		}
		if remove {
			return removeLimit(ctx, t, s, set)
		}
		if err := s.Set(ctx, t.by(), set); err != nil {
			return err
		}
		_, err := fmt.Fprintln(t.out, "the limit holds from the next sale on")
		return err
	})
}

// knownLimit says what is limited, and by when, if the command names something else.
func knownLimit(k limit.Kind) error {
	var subjects, periods []string
	for _, known := range limit.Kinds() {
		if of := string(known.Subject); !slices.Contains(subjects, of) {
			subjects = append(subjects, of)
		}
		if per := string(known.Period); known.Subject == k.Subject && !slices.Contains(periods, per) {
			periods = append(periods, per)
		}
	}
	switch {
	case len(periods) == 0:
		return fmt.Errorf("--of is one of %s", strings.Join(subjects, ", "))
	case !slices.Contains(periods, string(k.Period)):
		return fmt.Errorf("--of %s needs --per %s", k.Subject, strings.Join(periods, " or "))
	}
	return nil
}

// removeLimit removes a limit that there is: who names another one believes that theirs is gone.
func removeLimit(ctx context.Context, t terminal, s *limit.Service, set limit.Limit) error {
	limits, err := s.All(ctx)
	if err != nil {
		return err
	}
	if !slices.ContainsFunc(limits, func(l limit.Limit) bool {
		return l.ShopID == set.ShopID && l.Kind == set.Kind && l.Currency == set.Currency
	}) {
		return fault.New(fault.NotFound, "limit.none")
	}
	if err := s.Remove(ctx, t.by(), set); err != nil {
		return err
	}
	_, err = fmt.Fprintln(t.out, "the limit is gone from the next sale on")
	return err
}

var errOneOf = errors.New("give either --count, or --amount with --currency, or --remove")

// mostOf reads a limit's value.
func mostOf(count, amount string, currency money.Currency) (int64, error) {
	switch {
	case (count == "") == (amount == ""), (amount == "") != (currency == ""):
		return 0, errOneOf
	case amount != "":
		sum, err := money.Parse(amount, currency)
		if err != nil || sum.Sign() < 0 {
			return 0, fmt.Errorf(
				"--amount %q with --currency %q is no amount; write it like 250.00 and EUR", amount, currency,
			)
		}
		return sum.Micros(), nil
	}
	most, err := strconv.ParseInt(count, 10, 64)
	if err != nil || most < 0 {
		return 0, fmt.Errorf("--count %q is no number of sales", count)
	}
	return most, nil
}

// listLimits prints every limit, and what it stopped in the last week.
func listLimits(ctx context.Context, t terminal) error {
	return withLimits(ctx, t, func(b *app.Books, s *limit.Service) error {
		limits, err := s.All(ctx)
		if err != nil {
			return err
		}
		stops, err := s.Stops(ctx)
		if err != nil {
			return err
		}
		names, err := shopNames(ctx, b)
		if err != nil {
			return err
		}
		w := tabwriter.NewWriter(t.out, 0, 8, 2, ' ', 0)
		fmt.Fprintln(w, "SHOP\tOF\tPER\tLIMIT")
		for _, l := range limits {
			most := strconv.FormatInt(l.Most, 10)
			if l.Measure == limit.Sum {
				most = l.Amount().String()
			}
			fmt.Fprintf(w, "%s\t%s\t%s\t%s\n", names[l.ShopID], l.Subject, l.Period, most)
		}
		fmt.Fprintln(w, "\nSTOPPED IN 7 DAYS\tOF\tPER\tTIMES\tALLOWED BY A MANAGER")
		for _, c := range stops {
			fmt.Fprintf(w, "%s\t%s\t%s\t%d\t%d\n", names[c.ShopID], c.Subject, c.Period, c.Stopped, c.Allowed)
		}
		return w.Flush()
	})
}

func shopNames(ctx context.Context, b *app.Books) (map[string]string, error) {
	shops, err := b.Staff.Shops(ctx)
	names := map[string]string{"": "(every shop)"}
	for _, shop := range shops {
		names[shop.ID] = shop.Name
	}
	return names, err
}

// sendMode sets how transfers of a provider or a product are sent, or lists the settings.
func sendMode(ctx context.Context, t terminal) error {
	var provider, product, mode string
	t.flags.StringVar(&provider, "provider", "", "code of a provider")
	t.flags.StringVar(&product, "product", "", "or SKU of a product, which counts before its provider")
	t.flags.StringVar(&mode, "mode", "", "wait, defer, or default for what SEND_MODE says")
	if err := t.parse(); err != nil {
		return err
	}
	if provider != "" && product != "" || (provider+product == "") != (mode == "") {
		return errors.New("give either --provider or --product, and --mode; none of them lists what is set")
	}
	rule := sales.ModeRule{Scope: sales.ScopeProvider, Code: provider, Mode: sales.SendMode(mode)}
	if product != "" {
		rule.Scope, rule.Code = sales.ScopeProduct, product
	}
	if mode == "default" {
		rule.Mode = ""
	}
	return withRules(ctx, t, func(b *app.Books, s *sales.Service) error {
		if mode != "" {
			if err := s.SetMode(ctx, t.by(), rule); err != nil {
				return err
			}
		}
		rules, err := s.ModeRules(ctx)
		fmt.Fprintf(t.out, "everything else: %s\n", b.Config.SendMode)
		for _, r := range rules {
			fmt.Fprintf(t.out, "%s %s: %s\n", r.Scope, r.Code, r.Mode)
			if rests := s.Rests(r); rests != nil {
				fmt.Fprintf(t.out, "  but it rests: %s\n", fault.Message(rests))
			}
		}
		return err
	})
}

// validating sets which providers check a number without selling, or lists them.
func validating(ctx context.Context, t terminal) error {
	var provider string
	var off bool
	t.flags.StringVar(&provider, "provider", "", "code of a provider that checks numbers before a sale")
	t.flags.BoolVar(&off, "off", false, "it does not")
	if err := t.parse(); err != nil {
		return err
	}
	if off && provider == "" {
		return errors.New("say of which provider: --provider CODE --off")
	}
	return withRules(ctx, t, func(_ *app.Books, s *sales.Service) error {
		if provider != "" {
			if err := s.SetValidating(ctx, t.by(), provider, !off); err != nil {
				return err
			}
		}
		codes, err := s.Validating(ctx)
		for _, code := range codes {
			fmt.Fprintln(t.out, code)
		}
		return err
	})
}
