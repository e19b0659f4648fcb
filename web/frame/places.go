package frame

import (
	"fmt"
	"hash/fnv"
	"net/http"
	"net/url"
	"strings"

	"airtill/internal/catalog"
	"airtill/internal/staff"
)

// OfficeGroups are the groups of office pages, in order.
var OfficeGroups = []string{"selling", "people", "money", "technique"}

// OfficePlaces are the office pages, each with its group and who may see it.
var OfficePlaces = []struct {
	Path, Name string
	Group      string
	Permission staff.Permission
	OrElse     staff.Permission // another that will do; "": none
}{
	{"/admin/prices", "office.prices", "money", staff.ManagePrices, ""},
	{"/admin/catalogue", "office.catalogue", "selling", staff.ManageCatalogue, ""},
	{"/admin/counter", "office.counter", "selling", staff.PinProducts, staff.ManageCatalogue},
	{"/admin/people", "office.people", "people", staff.ManageUsers, ""},
	{"/admin/access", "office.access", "people", staff.ManageUsers, ""},
	{"/admin/customer", "customerData.title", "people", staff.CustomerData, ""},
	{"/admin/shops", "office.shops", "selling", staff.ManageShops, ""},
	{"/admin/limits", "office.limits", "money", staff.ManageShops, ""},
	{"/admin/sending", "office.sending", "selling", staff.ManageShops, ""},
	{"/admin/upstream", "office.upstream", "technique", staff.Operate, ""},
	{"/admin/jobs", "office.jobs", "technique", staff.Operate, ""},
	{"/admin/webhooks", "office.webhooks", "technique", staff.Operate, ""},
	{"/admin/setup", "office.setup", "technique", staff.Operate, ""},
	{"/admin/audit", "office.audit", "people", staff.ViewAudit, ""},
	{CorrectionsPath, "corrections.title", "money", staff.ViewReports, ""},
	{HealthURL, "health.title", "technique", staff.Operate, staff.ViewReports},
}

// mayAdmin says whether the office has anything for a user.
func mayAdmin(u staff.User) bool { return FirstOffice(u) != "" }

// FirstOffice is the first office page a user may see, "" if none.
func FirstOffice(u staff.User) string {
	for _, p := range OfficePlaces {
		if u.Can(p.Permission) || u.Can(p.OrElse) {
			return p.Path
		}
	}
	return ""
}

const (
	CorrectionsPath   = "/admin/corrections"
	CorrectionsListed = 200
)

// HookPath is where the upstream posts the outcomes of deferred transfers.
const HookPath = "/webhooks/transfers"

// OfflinePath is the page the worker caches.
const OfflinePath = "/offline"

// LocalPath returns where to go after login: a path of ours, or the start. Browsers take "//host" and "/\host"
// for another site.
func LocalPath(next string) string {
	u, err := url.Parse(next)
	bad := err != nil || u.Scheme != "" || u.Host != "" || u.User != nil ||
		!strings.HasPrefix(next, "/") || strings.HasPrefix(next, "//") || strings.ContainsAny(next, "\\\t\r\n")
	for _, door := range []string{"/login", "/unlock", "/logout"} {
		bad = bad || strings.HasPrefix(next, door)
	}
	if bad {
		return "/"
	}
	return next
}

// LogoURL is the page's address of a provider's logo, "" if it has none. It changes with the catalogue's
// address, so that browsers may cache it.
func LogoURL(p *catalog.Provider) string {
	if p.LogoURL == "" {
		return ""
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.LogoURL)) // a hash never fails
	return fmt.Sprintf("/logos/%s?v=%08x", url.PathEscape(p.Code), hash.Sum32())
}

// PasswordPath is where users choose their own passwords, SecondPath where they manage their second factor.
const (
	PasswordPath = "/password"
	SecondPath   = "/account/second"
)

// HealthURL is a page for everybody who sees Today.
const HealthURL = "/admin/health"

// Gate is where people sign in: by PIN if this browser takes PINs, otherwise by password.
func (s *Server) Gate(r *http.Request, next string) string {
	path := "/login"
	colleagues, err := s.D.Staff.Colleagues(r.Context(), s.Cookie(r, "device"))
	if err == nil && len(colleagues) > 0 { // otherwise the password will do
		path = "/unlock"
	}
	if next == "/" || next == "" {
		return path
	}
	return path + "?next=" + url.QueryEscape(next)
}
