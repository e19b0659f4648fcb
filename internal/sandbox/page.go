package sandbox

import (
	"bytes"
	_ "embed" // the page and what it loads are files beside this one
	"encoding/json"
	"fmt"
	"html/template"
	"net/http"
	"reflect"
	"strings"
	"time"

	"airtill/internal/sandbox/catalogue"
)

//go:embed console.html
var consoleHTML string

//go:embed console.css
var consoleCSS []byte

//go:embed console.js
var consoleJS []byte

// shownRows is how many rows each table of the page has at most.
const shownRows = 50

// pageView is what the page shows.
type pageView struct {
	Now                           time.Time
	Address                       string
	Balance, Reserved, Currency   string
	Transfers, Requests, Products int
	Latest                        []transferView
	Calls                         []Call
	Deliveries                    []delivery
	Faults                        []Fault
	Fired                         []firing
	Kinds                         map[string]string
	Suspending                    []string // provider codes suspended by setting
	Settings                      []settingView
	Search                        string
	Found                         []productView
	Suspended                     []catalogue.ProviderStatus
}

// transferView is a transfer as the page shows it.
type transferView struct {
	*transferRecord
	Executed             int
	Deducted, Commission string
	Refunded, Problem    string
	Test, Deferred       bool
}

// productView is a product as the page shows it.
type productView struct {
	*catalogue.Product
	Provider *catalogue.Provider
}

// page shows everything an integrator wants to watch. The script loads it again
// every two seconds.
func (s *Service) page(w http.ResponseWriter, r *http.Request) {
	parsed, err := template.New("console").Funcs(template.FuncMap{
		"clock": func(t time.Time) string { return t.Format("15:04:05.000") },
		"short": func(d Duration) string { return time.Duration(d).Round(100 * time.Microsecond).String() },
		"fault": describeFault,
	}).Parse(consoleHTML)
	var b bytes.Buffer
	if err == nil {
		err = parsed.Execute(&b, s.view(r))
	}
	if err != nil {
		s.log.Error("sandbox.page", "error", err)
		http.Error(w, "the page cannot be shown", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy",
		"default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; frame-ancestors 'none'")
	h.Set("Cache-Control", "no-store")
	_, _ = w.Write(b.Bytes()) // the client may have gone
}

func (s *Service) view(r *http.Request) pageView {
	c, search := s.catalogue(), strings.TrimSpace(r.URL.Query().Get("q"))
	script, fired := s.script()
	deliveries := s.deliveries()
	s.mu.Lock()
	defer s.mu.Unlock()
	v := pageView{
		Now: s.clock.now(), Address: issuer(r), Balance: s.book.balance.String(), Reserved: s.book.reserved.String(),
		Currency: s.config.Currency, Transfers: len(s.book.all), Requests: s.traffic.count, Products: len(c.Products),
		Calls: s.traffic.latest(shownRows), Faults: script, Kinds: Kinds(), Suspending: s.config.SuspendedProviders, Settings: viewSettings(s.config), Search: search, Found: find(c, search),
	}
	for i := len(s.book.all) - 1; i >= 0 && len(v.Latest) < shownRows; i-- {
		v.Latest = append(v.Latest, viewTransfer(s.book.all[i]))
	}
	for i := len(deliveries) - 1; i >= 0 && len(v.Deliveries) < shownRows; i-- {
		v.Deliveries = append(v.Deliveries, deliveries[i])
	}
	for i := len(fired) - 1; i >= 0 && len(v.Fired) < shownRows; i-- {
		v.Fired = append(v.Fired, fired[i])
	}
	for _, status := range c.Statuses {
		if !status.IsProcessingTransfers {
			v.Suspended = append(v.Suspended, status)
		}
	}
	return v
}

// settingView is a field of the configuration as the page shows it.
type settingView struct{ Name, Value, Doc string }

// viewSettings lists the configuration with the meaning of each field. What is
// secret is not shown.
func viewSettings(c Config) []settingView {
	var views []settingView
	value := reflect.ValueOf(c)
	for i := range value.NumField() {
		field := value.Type().Field(i)
		text, err := json.Marshal(value.Field(i).Interface())
		if err != nil || field.Name == "ClientSecret" || field.Name == "APIKey" {
			text = []byte("…")
		}
		views = append(views, settingView{Name: field.Tag.Get("json"), Value: string(text), Doc: field.Tag.Get("doc")})
	}
	return views
}

func viewTransfer(t *transfer) transferView {
	return transferView{
		transferRecord: t.record(), Executed: t.Executed, Test: t.Test, Deferred: t.Deferred,
		Deducted: t.Deducted.String(), Commission: t.given().String(), Refunded: t.Refunded.String(),
		Problem: strings.TrimSuffix(t.Error.Code+" "+t.Error.Context, " "),
	}
}

// find returns products whose SKU, text, provider or country a search names;
// without a search a few of the first.
func find(c *catalogue.Catalogue, search string) []productView {
	var found []productView
	wanted := strings.ToLower(search)
	for _, p := range c.Products {
		provider := c.Provider(p.ProviderCode)
		text := strings.ToLower(strings.Join(append([]string{
			p.SkuCode, p.DefaultDisplayText, provider.Name, provider.CountryIso, p.ProcessingMode,
		}, p.Benefits...), " "))
		if strings.Contains(text, wanted) {
			found = append(found, productView{Product: p, Provider: provider})
		}
		if len(found) == shownRows {
			break
		}
	}
	return found
}

func describeFault(f Fault) string {
	text := f.Action.Kind
	if f.Action.When != "" {
		text += " " + f.Action.When
	}
	if f.Action.For != 0 {
		text += " " + time.Duration(f.Action.For).String()
	}
	for _, part := range []string{f.Action.Code, f.Action.Context, f.Action.Mode, f.Action.Amount} {
		if part != "" {
			text += " " + part
		}
	}
	on := strings.Join(strings.Fields(strings.Join([]string{f.Match.Endpoint, f.Match.SKU, f.Match.Number, f.Match.Ref}, " ")), " ")
	if on == "" {
		on = "every call"
	}
	if f.Match.Nth > 1 {
		on += fmt.Sprintf(" from call %d", f.Match.Nth)
	}
	return text + " on " + on
}

func serveAsset(kind string, data []byte) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		_, _ = w.Write(data) // the client may have gone
	}
}
