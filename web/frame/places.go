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

// OfficeGroups are what the pages of the office are about, in order.
var OfficeGroups = []string{"selling", "people", "money", "technique"}

// OfficePlaces are the pages of the office, each with its group and who may see it.
var OfficePlaces = []struct {
	Path, Name string
	Group      string
	Permission staff.Permission
	OrElse     staff.Permission // another that will do as well; "" for none
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

// mayAdmin says whether there is anything in the office for a user.
func mayAdmin(u staff.User) bool { return FirstOffice(u) != "" }

// FirstOffice is the first page of the office that a user may see, "" if there is none.
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

// OfflinePath is the page that the worker stores.
const OfflinePath = "/offline"

// LocalPath returns where to go after login: a path of ours, or the start. A
// browser takes "//host" and "/\host" for another site.
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

// LogoURL is where a page finds a provider's logo, "" if it has none. It changes
// with the address that the catalogue names, so that browsers may store it.
func LogoURL(p *catalog.Provider) string {
	if p.LogoURL == "" {
		return ""
	}
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(p.LogoURL)) // a hash never fails
	return fmt.Sprintf("/logos/%s?v=%08x", url.PathEscape(p.Code), hash.Sum32())
}

// PasswordPath is where users choose passwords of their own, SecondPath where they look
// after their second factor.
const (
	PasswordPath = "/password"
	SecondPath   = "/account/second"
)

// HealthURL leads to a page that everybody may see who sees Today.
const HealthURL = "/admin/health"

// Gate is where somebody who is not signed in says who they are: by PIN where
// this browser takes PINs, else by password.
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
