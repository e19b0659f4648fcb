package alert

import (
	"context"
	"time"

	"github.com/riverqueue/river"

	"airtill/internal/jobs"
)

// sendTries lets a message wait for a receiver for about two days: River waits for the fourth power of how often it
// failed, in seconds.
const sendTries = 16

// SendArgs is the job that sends one message.
type SendArgs struct {
	Message string `json:"message"` // id
}

// Kind names the job.
func (SendArgs) Kind() string { return "alert.send" }

// InsertOpts tries for about two days, at growing intervals.
func (SendArgs) InsertOpts() river.InsertOpts { return river.InsertOpts{MaxAttempts: sendTries} }

// Jobs look at the rules and send the messages.
func (s *Service) Jobs() []jobs.Job {
	return []jobs.Job{
		jobs.Periodic{Kind: "alert.look", Every: time.Minute, Do: s.Look},
		jobs.OnRequest[SendArgs]{
			Do: func(ctx context.Context, args SendArgs) error { return s.Send(ctx, args.Message) },
		},
	}
}
