package staff

import (
	"context"
	"net/netip"
	"slices"
	"strings"

	"airtill/internal/audit"
	"airtill/internal/fault"
	"airtill/internal/store"
)

// Rule is what a role needs beside a password.
type Rule struct {
	Role         Role
	SecondFactor bool   // people without one must set one up before anything else
	Networks     string // from which it may be used, as CIDR with spaces between; "" for all
	Shown        *Rule  `gorm:"-" json:"-"` // to SetRule: what the form held at first, as in ShopFacts
}

// TableName is read by GORM.
func (Rule) TableName() string { return "role_rules" }

// always says whether a role must have a second factor: it moves money, or gives others the right to.
func (r Role) always() bool { return r == Finance || r == Admin }

// Fixed says whether nobody can make the second factor of the role optional.
func (r Rule) Fixed() bool { return r.Role.always() }

// Allows says whether the role may be used from an address.
func (r Rule) Allows(address string) bool {
	if r.Networks == "" {
		return true
	}
	ip, err := netip.ParseAddr(address)
	return err == nil && slices.ContainsFunc(strings.Fields(r.Networks), func(text string) bool {
		network, err := netip.ParsePrefix(text)
		return err == nil && network.Contains(ip.Unmap().WithZone(""))
	})
}

// over returns the rule with what was not meant to change as it stands now.
func (r Rule) over(now Rule) (meant Rule, err error) {
	shown := r.Shown
	if meant, meant.Shown = r, nil; shown == nil {
		return meant, nil
	}
	if r.SecondFactor == shown.SecondFactor {
		meant.SecondFactor = now.SecondFactor
	}
	meant.Networks, err = meantFor("networks", r.Networks, shown.Networks, now.Networks)
	return meant, err
}

func (r Rule) facts() audit.Facts {
	return audit.Facts{
		audit.Word("role", r.Role), audit.YesNo("secondfactor", r.SecondFactor), audit.Text("networks", r.Networks),
	}
}

// tidyNetworks reads networks and addresses, separated by any character that they do not contain.
func tidyNetworks(typed string) (string, error) {
	var all []string
	for _, text := range strings.FieldsFunc(typed, func(r rune) bool { return strings.ContainsRune(" ,;\t\r\n", r) }) {
		network, err := netip.ParsePrefix(text)
		if ip, single := netip.ParseAddr(text); single == nil {
			network, err = netip.PrefixFrom(ip, ip.BitLen()), nil
		}
		if err != nil || network.Addr().Is4In6() || network.Addr().Zone() != "" {
			return "", fault.OnField("networks", "rule.network", text)
		}
		all = append(all, network.Masked().String())
	}
	return strings.Join(all, " "), nil
}

// Rules returns what each role needs, in the order of Roles.
func (s *Service) Rules(ctx context.Context) ([]Rule, error) {
	rules, err := store.All[Rule](s.d.DB.Read(ctx))
	slices.SortFunc(rules, func(a, b Rule) int { return slices.Index(Roles(), a.Role) - slices.Index(Roles(), b.Role) })
	return rules, fault.Doing("list rules of roles", err)
}

func (s *Service) rule(ctx context.Context, role Role) (Rule, error) {
	return s.rules.Get(ctx, role, func(ctx context.Context) (Rule, error) {
		return store.FindOne[Rule](ctx, s.d.DB, errNoUser, "FROM role_rules WHERE role = ?", role)
	})
}

// SetRule changes what a role needs. address is where the actor is, so that nobody shuts themselves out.
func (s *Service) SetRule(ctx context.Context, by audit.Actor, rule Rule, address string) (err error) {
	if !rule.Role.Valid() {
		return fault.OnField("role", "user.role", rule.Role, listed(Roles()))
	}
	if rule.Networks, err = tidyNetworks(rule.Networks); err != nil {
		return err
	}
	if string(rule.Role) == by.Role && !rule.Allows(address) {
		return fault.OnField("networks", "rule.shuts-out", address)
	}
	rule.SecondFactor = rule.SecondFactor || rule.Role.always()
	return fault.Doing("set rule of role", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		query := tx.Raw("SELECT * FROM role_rules WHERE role = ?"+tx.ForUpdate(), rule.Role)
		before, err := store.One[Rule](query, errNoUser)
		if err != nil {
			return err
		}
		rule, err := rule.over(before)
		if err != nil || before == rule {
			return err
		}
		set := tx.Exec("UPDATE role_rules SET second_factor = ?, networks = ? WHERE role = ?",
			rule.SecondFactor, rule.Networks, rule.Role)
		return s.d.Audit.WriteIf(ctx, tx, set, audit.Entry{
			Actor: by, Act: audit.RoleRuleSet, Subject: audit.Of(audit.Role, string(rule.Role)),
			Facts: audit.Between(before.facts(), rule.facts()),
		})
	}))
}

// checkNetwork fails with fault.Forbidden, and writes the audit, if a user's role may not
// be used from an address.
func (s *Service) checkNetwork(ctx context.Context, u User, address string) error {
	rule, err := s.rule(ctx, u.Role)
	if err != nil || rule.Allows(address) {
		return err
	}
	return s.refuseNetwork(ctx, u, address)
}

func (s *Service) refuseNetwork(ctx context.Context, u User, address string) error {
	err := s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		return s.note(ctx, tx, actorOf(u), audit.UserElsewhere, u.ID, audit.Text("address", address))
	})
	if err != nil {
		return fault.Doing("refuse address", err)
	}
	return fault.New(fault.Forbidden, "rule.elsewhere", address)
}

// LeaveNetwork ends a session that is used from a network its role may not use, and returns the fault that says so.
func (s *Service) LeaveNetwork(ctx context.Context, token string, p Presence, address string) error {
	if err := s.EndSession(ctx, token); err != nil {
		return err
	}
	return s.refuseNetwork(ctx, p.User, address)
}
