package ledger

import (
	"fmt"
	"time"

	"gorm.io/gorm"
)

// Slack is how far the order of postings may differ from their times: a posting gets its number when it is
// written, a moment after its time.
const Slack = 3 * time.Hour

// LastBefore is the last posting id before a moment, as far as ids rise with time: leave Slack on either side.
// It is found by bisection.
func LastBefore(session *gorm.DB, at time.Time) (int64, error) {
	var low, high int64
	if err := session.Raw("SELECT COALESCE(MAX(id), 0) FROM postings").Scan(&high).Error; err != nil {
		return 0, fmt.Errorf("find postings by time: %w", err)
	}
	for low < high {
		middle := low + (high-low+1)/2
		var found []struct{ At time.Time }
		if err := session.Raw(
			"SELECT at FROM postings WHERE id >= ? ORDER BY id LIMIT 1", middle,
		).Scan(&found).Error; err != nil {
			return 0, fmt.Errorf("find postings by time: %w", err)
		}
		if len(found) == 0 || !found[0].At.Before(at) {
			high = middle - 1
		} else {
			low = middle
		}
	}
	return low, nil
}
