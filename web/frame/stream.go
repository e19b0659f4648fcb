package frame

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/a-h/templ"
	"github.com/gin-gonic/gin"

	"airtill/internal/store"
)

const (
	streamFor       = 10 * time.Minute // then the browser asks again
	StreamLookEvery = 5 * time.Second  // hints may be lost, so the rows are looked at anyway
	MostStreams     = 4                // per session
)

// drawing returns what a stream shows now, nil if unchanged, and whether it is the last.
type drawing func(context.Context) (part templ.Component, over bool, err error)

// Stream answers with a component, and again whenever it changes, until it is over, the session is, or the
// browser should reconnect. A page that begins with the same content needs no first event.
func (s *Server) Stream(c *gin.Context, every time.Duration, hints <-chan struct{}, draw drawing) error {
	token := ExchangeOf(c.Request.Context()).token
	c.Header("Content-Type", "text/event-stream")
	c.Status(http.StatusOK)
	ctx, cancel := context.WithTimeout(c.Request.Context(), streamFor)
	defer cancel()
	defer s.Streams.enter(token, cancel)()
	//nolint:forbidigo // which stream is newer is a matter of real time, here and in other processes
	id := store.NewID(time.Now())
	defer s.D.Streams.leave(ctx, token, id)
	tick := time.NewTicker(every)
	defer tick.Stop()
	for sent := ""; s.D.Streams.beat(ctx, token, id); {
		part, over, err := draw(ctx)
		if err != nil {
			return err
		}
		if part != nil {
			var html bytes.Buffer
			if err := part.Render(ctx, &html); err != nil {
				return err
			}
			if html.String() != sent {
				sent = html.String()
				if err := writeEvent(c, sent); err != nil {
					return err
				}
			}
		}
		if over {
			_, err := c.Writer.WriteString("event: done\ndata: done\n\n")
			c.Writer.Flush()
			return err
		}
		select {
		case <-ctx.Done():
			return nil
		case <-hints:
		case <-tick.C:
		}
		if _, live, err := s.D.Staff.SessionData(ctx, token); err != nil || !live {
			return err
		}
	}
	return nil
}

// writeEvent sends an unnamed event.
func writeEvent(c *gin.Context, data string) error {
	for line := range strings.Lines(data) {
		if _, err := fmt.Fprintf(c.Writer, "data: %s\n", strings.TrimRight(line, "\r\n")); err != nil {
			return err
		}
	}
	_, err := c.Writer.WriteString("\n")
	c.Writer.Flush()
	return err
}

// streams are the cancel functions of streams by session, the oldest first. One too many ends the oldest: a
// browser that reloads is not shut out by the page it left, and one with more pages reconnects and gets what
// is true by then. RedisStreams does the same for all processes, a beat later.
type streams struct {
	mu   sync.Mutex
	ends map[string][]*context.CancelFunc
}

func (s *streams) enter(session string, end context.CancelFunc) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ends == nil {
		s.ends = map[string][]*context.CancelFunc{}
	}
	if open := s.ends[session]; len(open) >= MostStreams {
		(*open[0])()
		s.ends[session] = open[1:]
	}
	s.ends[session] = append(s.ends[session], &end)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.ends[session] = slices.DeleteFunc(s.ends[session], func(e *context.CancelFunc) bool { return e == &end })
		if len(s.ends[session]) == 0 {
			delete(s.ends, session)
		}
	}
}

// Open counts the streams of all sessions.
func (s *streams) Open() (n int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, ends := range s.ends {
		n += len(ends)
	}
	return n
}
