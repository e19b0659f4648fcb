package report

import (
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"airtill/internal/fault"
	"airtill/internal/store"
)

// View is a report a user wants to find again.
type View struct {
	ID     string
	UserID string
	Name   string
	Path   string // address and question, below /reports/
	MadeAt time.Time
}

// TableName is read by GORM.
func (View) TableName() string { return "report_views" }

const (
	mostViews    = 50
	longestName  = 60
	longestQuery = 1000
)

// SaveView stores a report under a name; a name the user has already gets the new question.
func (s *Service) SaveView(ctx context.Context, userID, name, path string) error {
	name = strings.TrimSpace(name)
	switch {
	case name == "" || utf8.RuneCountInString(name) > longestName:
		return fault.OnField("name", "view.name", longestName)
	case !isReport(path):
		return fault.New(fault.Invalid, "view.no-report")
	}
	now := store.Moment(s.d.Now())
	return fault.Doing("save report", s.d.DB.Tx(ctx, func(tx *store.Tx) error {
		if err := tx.Lock("reports saved by " + userID); err != nil { // who counts must see every other
			return err
		}
		var n int64
		if err := tx.Raw(
			"SELECT COUNT(*) FROM report_views WHERE user_id = ? AND name <> ?", userID, name,
		).Scan(&n).Error; err != nil {
			return err
		}
		if n >= mostViews {
			return fault.New(fault.Conflict, "view.full", mostViews)
		}
		return tx.Exec(`INSERT INTO report_views (id, user_id, name, path, made_at) VALUES (?,?,?,?,?)
			ON CONFLICT (user_id, name) DO UPDATE
			SET path = excluded.path`, store.NewID(now), userID, name, path, now).Error
	}))
}

// isReport says whether an address is a report of ours.
func isReport(path string) bool {
	address, err := url.Parse(path)
	return err == nil && !address.IsAbs() && address.Host == "" &&
		strings.HasPrefix(address.Path, "/reports/") && len(path) <= longestQuery
}

// Views returns what a user has saved, by name.
func (s *Service) Views(ctx context.Context, userID string) ([]View, error) {
	views, err := store.All[View](s.d.DB.Read(ctx).Where("user_id = ?", userID).Order("name"))
	return views, fault.Doing("read saved reports", err)
}

// ForgetView deletes a user's view; deleting it again is no error.
func (s *Service) ForgetView(ctx context.Context, userID, id string) error {
	return fault.Doing(
		"forget report", s.d.DB.Exec(ctx, "DELETE FROM report_views WHERE id = ? AND user_id = ?", id, userID),
	)
}
