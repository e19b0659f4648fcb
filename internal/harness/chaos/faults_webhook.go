package chaos

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"time"

	"airtill/internal/harness/stage"
)

// webhookFaults: what is said of a deferred transfer is said late, often, or by
// somebody else.
func webhookFaults() []fault {
	all := []fault{
		{name: "webhook-100-times", do: upstreamDoes(webhook, does{"kind": "webhook_duplicate", "count": 100}, 1)},
		{name: "webhook-late", do: upstreamDoes(webhook, does{"kind": "webhook_late", "for": "10m0s"}, 2)},
		{name: "webhook-withheld", do: upstreamDoes(webhook, does{"kind": "webhook_withhold"}, 2)},
		{name: "webhook-after-the-list", do: upstreamDoes(webhook, does{"kind": "delay", "for": "5s"}, 2)},
		{name: "webhook-before-reply", do: hookBeforeReply},
		{name: "webhook-other-order", do: withSettings(map[string]any{"signedOrder": "body-timestamp"}, map[string]any{"signedOrder": "timestamp-body"})},
		{name: "webhook-new-key", do: rotated},
		{name: "webhook-encrypted", do: encrypted("webhook-public.pem")},
		{name: "webhook-encrypted-for-another", do: encrypted("webhook-foreign.pem")},
		{name: "webhook-encryption-broken", do: hookPosts(200, brokenEncryption)},
		{name: "webhook-unknown-key-flood", do: hookPosts(500, unknownKey)},
		{name: "webhook-oversize", do: hookPosts(3, oversize)},
	}
	for _, mode := range []string{"body", "no_key", "wrong_key", "alg", "aim", "order"} {
		all = append(all, fault{
			name: "webhook-forged-" + strings.ReplaceAll(mode, "_", "-"),
			do:   upstreamDoes(webhook, does{"kind": "webhook_forge", "mode": mode, "count": 3}, 1),
		})
	}
	for i := range all {
		all[i].lane = "webhook"
	}
	return all
}

// hookBeforeReply tells the outcome while the answer to the order is on its way.
func hookBeforeReply(ctx context.Context, s *storm) (bool, error) {
	if err := s.console.Configure(ctx, map[string]any{"deferDelay": "0s"}); err != nil {
		return false, err
	}
	fired, err := s.provoke(ctx, stage.Fault{Match: match(sendTransfer), Action: does{"kind": "delay", "when": "after", "for": "1.5s"}, Times: 3})
	sleep(ctx, 2*time.Second)
	if back := s.console.Configure(context.WithoutCancel(ctx), map[string]any{"deferDelay": "2s"}); back != nil {
		return false, back
	}
	return fired, err
}

// withSettings changes the sandbox's settings until a webhook was delivered
// under them.
func withSettings(during, after map[string]any) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		if err := s.console.Configure(ctx, during); err != nil {
			return false, err
		}
		delivered, err := s.delivered(ctx)
		if back := s.console.Configure(context.WithoutCancel(ctx), after); back != nil {
			return false, back
		}
		return delivered, err
	}
}

// delivered waits until another try at a delivery was made.
func (s *storm) delivered(ctx context.Context) (bool, error) {
	before, err := s.tries(ctx)
	if err != nil {
		return false, err
	}
	return seen(ctx, firesWithin, func() (bool, error) {
		now, err := s.tries(ctx)
		return now > before, err
	})
}

func (s *storm) tries(ctx context.Context) (int, error) {
	all, err := s.console.Deliveries(ctx)
	tries := 0
	for _, d := range all {
		tries += len(d.Tries)
	}
	return tries, err
}

func rotated(ctx context.Context, s *storm) (bool, error) {
	if err := s.console.RotateKeys(ctx); err != nil {
		return false, err
	}
	return s.delivered(ctx)
}

// encrypted has webhooks encrypted for the key in a file, for a while.
func encrypted(file string) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		pem, err := os.ReadFile(filepath.Join(s.dir, file))
		if err != nil {
			return false, err
		}
		return withSettings(map[string]any{"webhookPublicKey": string(pem)}, map[string]any{"webhookPublicKey": ""})(ctx, s)
	}
}

// forged is a webhook of somebody who has no key.
func forged(s *storm) (http.Header, string) {
	const prefix = "X-Service-Webhook-"
	now := fmt.Sprint(s.clock.now().Unix())
	body := `{"TransferRecord":{"TransferId":{"TransferRef":"1","DistributorRef":"NOBODY"},"SkuCode":"X","ProcessingState":"Complete","AccountNumber":"1"},"ResultCode":1,"ErrorCodes":[]}`
	return http.Header{
		prefix + "Signature": {"t=" + now + ",v1=" + strings.Repeat("A", 340) + "AA=="}, prefix + "Timestamp": {now}, prefix + "Algorithm": {"rs256"},
		prefix + "Key-Id": {"nobody"},
	}, body
}

func unknownKey(s *storm) (http.Header, string) {
	header, body := forged(s)
	header.Set("X-Service-Webhook-Key-Id", fmt.Sprintf("nobody-%d", s.dice.below(1_000_000)))
	return header, body
}

func brokenEncryption(s *storm) (http.Header, string) {
	header, body := forged(s)
	for name, value := range map[string]string{
		"Encryption": "hybrid", "Data-Algorithm": "AES-256-GCM", "Key-Algorithm": "RSA-OAEP-SHA256", "Encrypted-Key": strings.Repeat("A", 344), "IV": "AAAAAAAAAAAAAAAA",
	} {
		header.Set("X-Service-Webhook-"+name, value)
	}
	return header, body
}

func oversize(s *storm) (http.Header, string) {
	header, _ := forged(s)
	return header, "{" + strings.Repeat(" ", 300<<10) + "}"
}

// hookPosts posts many webhooks of somebody else's. None may be taken.
func hookPosts(times int, make func(*storm) (http.Header, string)) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		site, refused := s.site(), 0
		for range times {
			header, body := make(s)
			status, err := s.postHook(ctx, site, header, body)
			if err != nil {
				continue // the process may just be gone
			}
			if status < http.StatusBadRequest {
				return true, violation{Law: "webhook", Evidence: fmt.Sprintf("a forged one was answered %d", status)}
			}
			refused++
		}
		return refused > 0, nil
	}
}

func (s *storm) postHook(ctx context.Context, site *site, header http.Header, body string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, site.url()+"/webhooks/transfers", strings.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header = header
	request.Header.Set("Content-Type", "application/json")
	response, err := s.console.Client.Do(request)
	if err != nil {
		return 0, err
	}
	_ = response.Body.Close() // only its status counts
	return response.StatusCode, nil
}
