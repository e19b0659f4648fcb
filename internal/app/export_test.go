package app

import (
	"context"
	"time"
)

// BeatInTime is what Beat does every two seconds, with patience of the test's.
func (a *App) BeatInTime(ctx context.Context, within, heard time.Duration) error {
	return a.beatInTime(ctx, within, heard)
}
