package chaos

import (
	"context"
	"strings"
	"time"

	"airtill/internal/harness/stage"
)

const (
	sendTransfer = "SendTransfer"
	lists        = "ListTransferRecords"
	webhook      = "Webhook"
)

// match is which calls a fault of the sandbox is for.
func match(endpoint string) map[string]any { return map[string]any{"endpoint": endpoint} }

// does is an action of the sandbox, "kind" and its fields. Durations are written
// as the sandbox writes them, so that a fault is found again in its script.
type does map[string]any

// upstreamDoes is a fault that the sandbox makes, so many times.
func upstreamDoes(endpoint string, a does, times int) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		return s.provoke(ctx, stage.Fault{Match: match(endpoint), Action: a, Times: times})
	}
}

// onTheWay is a fault that the proxy before the upstream makes.
func onTheWay(name string, play func(*pair, []byte) []byte, times int) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		before := s.upstream.count(name)
		for range times {
			s.upstream.play(&trick{name: name, match: []byte("POST /api/V1/SendTransfer"), play: play})
		}
		return seen(ctx, firesWithin, func() (bool, error) { return s.upstream.count(name) >= before+times, nil })
	}
}

const redirect = "HTTP/1.1 307 Temporary Redirect\r\nLocation: /api/V1/SendTransfer\r\nContent-Length: 0\r\n\r\n"

// replyFaults: what becomes of a SendTransfer and of its answer.
func replyFaults() []fault {
	all := []fault{
		{name: "reply-lost", do: upstreamDoes(sendTransfer, does{"kind": "drop", "when": "after"}, 3)},
		{name: "reply-reset", do: upstreamDoes(sendTransfer, does{"kind": "reset", "when": "after"}, 3)},
		{name: "reply-cut", do: upstreamDoes(sendTransfer, does{"kind": "cut", "bytes": 40}, 3)},
		{name: "reply-late", do: upstreamDoes(sendTransfer, does{"kind": "delay", "when": "after", "for": "4s"}, 3)},
		{name: "reply-foreign", do: upstreamDoes(sendTransfer, does{"kind": "wrong_record"}, 2)},
		{name: "reply-html", do: upstreamDoes(sendTransfer, does{"kind": "html", "when": "after", "status": 502}, 3)},
		{name: "reply-50mb", do: upstreamDoes(sendTransfer, does{"kind": "big_body"}, 1)},
		{name: "reply-novelty", do: upstreamDoes(sendTransfer, does{"kind": "novelty"}, 3)},
		{name: "reply-twice", do: onTheWay("reply-twice", sayTwice, 3)},
		{name: "reply-lost-on-the-way", do: onTheWay("reply-lost-on-the-way", loseReply, 3)},
		{name: "request-lost", do: upstreamDoes(sendTransfer, does{"kind": "drop", "when": "before"}, 2)},
		{name: "request-lost-on-the-way", do: onTheWay("request-lost-on-the-way", loseRequest, 2)},
		{name: "redirect", do: onTheWay("redirect", answerInstead(redirect), 2)},
		{name: "refused-connections", disturbs: true, do: refuse},
		{name: "stale-keep-alive", more: 1, do: staleConnections},
		{name: "provider-refuses", more: 2, do: func(ctx context.Context, s *storm) (bool, error) { return s.provoke(ctx, refusals()) }},
		{name: "provider-down", do: upstreamDoes("Provider", does{"kind": "provider_down"}, 3)},
		{name: "rate-limited", do: upstreamDoes(sendTransfer, does{"kind": "error", "code": "RateLimited"}, 2)},
		{name: "timed-out-then-delivered", do: upstreamDoes(sendTransfer, does{"kind": "late_success", "for": "1m30s"}, 2)},
		{name: "complete-then-reversed", do: upstreamDoes(sendTransfer, does{"kind": "late_reversal", "for": "20s"}, 2)},
		{name: "price-other-than-quoted", do: upstreamDoes(sendTransfer, does{"kind": "requote", "amount": "0.07", "commission": "0.11"}, 2)},
		{name: "token-expired", do: upstreamDoes(sendTransfer, does{"kind": "token_revoke"}, 1)},
		{name: "float-topped-up", do: topUp},
		{name: "reply-swapped", do: swapReplies},
		{name: "batch-fails", do: batchFails},
		{name: "batch-refunded-late", do: batchRefunded("1000000.00")},
		{name: "batch-refunded-in-part", do: batchRefunded("1.00")},
		{name: "cancel-answer-lost", do: cancelDoes(does{"kind": "drop", "when": "after"})},
		{name: "cancel-lost", do: cancelDoes(does{"kind": "drop"})},
		{name: "cancel-races-completion", do: cancelDoes(does{"kind": "delay", "for": "6s"})},
	}
	for i := range all {
		all[i].lane = "reply"
		if strings.HasPrefix(all[i].name, "batch-") || strings.HasPrefix(all[i].name, "cancel-") {
			all[i].lane = "batch"
		}
	}
	return append(all, fault{name: "identity-down", lane: "identity", disturbs: true, do: identityDown})
}

// refusals are some of the provider's, which end in cash handed back.
func refusals() stage.Fault {
	return stage.Fault{
		Match: match("Provider"), Action: does{"kind": "error", "code": "ProviderError", "context": "ProviderRefusedRequest"}, Times: 4,
	}
}

// batchFails has the provider refuse a batch transfer that was accepted and
// deducted: the upstream pays it back.
func batchFails(ctx context.Context, s *storm) (bool, error) {
	number := s.stock.batch.number(s.dice)
	refused := refusedBatch(number)
	defer s.sellBatch(ctx, number)()
	return s.provoke(ctx, refused)
}

// refusedBatch is a refusal for good: the upstream would try again what is only
// out of order.
func refusedBatch(number string) stage.Fault {
	return stage.Fault{
		Match: map[string]any{"endpoint": "Provider", "number": strings.TrimPrefix(number, "+")}, Times: 1,
		Action: does{"kind": "error", "code": "AccountNumberInvalid", "context": "ProviderRefusedRequest"},
	}
}

// batchRefunded has a batch transfer fail and be paid back without some amount,
// which is paid when all heals.
func batchRefunded(short string) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		before, err := s.console.Ledger(ctx)
		if err != nil {
			return false, err
		}
		number := s.stock.batch.number(s.dice)
		refused := refusedBatch(number)
		script := stage.Fault{Match: refused.Match, Times: 1, Action: does{"kind": "short_refund", "amount": short}}
		if err := s.console.AddFault(ctx, script, refused); err != nil {
			return false, err
		}
		defer s.sellBatch(ctx, number)()
		return seen(ctx, firesWithin, func() (bool, error) {
			now, err := s.console.Ledger(ctx)
			return withheld(now) > withheld(before), err
		})
	}
}

// sellBatch has somebody sell what the upstream works later, and leave it alone
// until what is returned is called. If it is not sold, nothing will be seen.
func (s *storm) sellBatch(ctx context.Context, number string) (end func()) {
	r := s.extra[2]
	r.careful.Store(true)
	go func() {
		if err := r.sellThis(ctx, s.stock.batch, number); err != nil {
			s.note("sell a batch transfer", err)
		}
	}()
	return func() { r.careful.Store(false) }
}

// swapReplies gives two callers each the other's answer.
func swapReplies(ctx context.Context, s *storm) (bool, error) {
	x := newExchange()
	for range 2 {
		s.upstream.play(&trick{name: "reply-swapped", match: []byte("POST /api/V1/SendTransfer"), play: x.take})
	}
	return seen(ctx, firesWithin, func() (bool, error) { return x.done(), nil })
}

// cancelDoes spoils a cancellation, and has somebody ask for one.
func cancelDoes(a does) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		asked := make(chan error, 1)
		go func() { asked <- s.cancelOne(ctx) }()
		fired, err := s.provoke(ctx, stage.Fault{Match: match("CancelTransfers"), Action: a, Times: 1})
		if lost := <-asked; lost != nil {
			s.note("cancel", lost)
		}
		return fired, err
	}
}

// cancelOne sells what the upstream works later, and calls it off as soon as it
// can be.
func (s *storm) cancelOne(ctx context.Context) error {
	r := s.extra[0]
	p, err := r.prepare(ctx, s.stock.batch, s.stock.batch.number(s.dice))
	if err != nil || p == nil {
		return err
	}
	if err := r.press(ctx, p); err != nil || r.saleOf(p) == nil {
		return err
	}
	_, err = seen(ctx, firesWithin, func() (bool, error) {
		outcome, err := r.browser.Get(ctx, "/sales/"+r.saleOf(p).id)
		if err != nil {
			return false, nil //nolint:nilerr // the till may just be gone; it is looked at again
		}
		form := outcome.Form("/cancel")
		if form == nil || outcome.State() == "recorded" {
			return false, nil
		}
		_, err = r.browser.Post(ctx, "/sales/"+r.saleOf(p).id+"/cancel", form)
		return err == nil, nil
	})
	return err
}

func refuse(ctx context.Context, s *storm) (bool, error) {
	s.upstream.down()
	sleep(ctx, time.Second)
	return true, s.upstream.up()
}

// staleConnections breaks the connections that rest, as a gateway does that was
// restarted.
func staleConnections(_ context.Context, s *storm) (bool, error) {
	return s.upstream.reset() > 0, nil
}

// identityDown refuses tokens for a while, just when a new one is needed. Where
// nobody has a token at first, nobody sends, and it would be down for nothing.
func identityDown(ctx context.Context, s *storm) (bool, error) {
	s.identity.down()
	f := stage.Fault{Match: match(sendTransfer), Action: does{"kind": "token_revoke"}, Times: 1}
	before, err := s.console.Faults(ctx)
	if err == nil {
		err = s.console.AddFault(ctx, f)
	}
	revoked := false
	if err == nil {
		revoked, err = seen(ctx, 2*time.Second, func() (bool, error) { return s.hasFired(ctx, f, len(before)) })
	}
	if revoked {
		sleep(ctx, 2*time.Second)
	}
	if up := s.identity.up(); up != nil {
		return false, up
	}
	return revoked, err
}

func topUp(ctx context.Context, s *storm) (bool, error) {
	return true, s.console.TopUp(ctx, "250.00")
}

// listFaults: the list that look-ups read is not to be trusted.
func listFaults() []fault {
	all := []fault{
		{name: "list-empty", do: listDoes(does{"kind": "list_empty"}, 12)},
		{name: "list-stale", do: listDoes(does{"kind": "list_stale", "for": "30s"}, 3)},
		{name: "list-drifts", do: listDoes(does{"kind": "list_drift", "count": 3}, 3)},
		{name: "list-lost", do: listDoes(does{"kind": "drop"}, 2)},
		{name: "list-foreign", do: listDoes(does{"kind": "wrong_record"}, 1)},
	}
	for i := range all {
		all[i].lane = "list"
	}
	return all
}

// listDoes spoils the list, and has somebody look at it: from the same moment on
// a few answers are lost, and the webhooks that would say the same before the
// first look are late.
func listDoes(a does, times int) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		return s.provoke(ctx,
			stage.Fault{Match: match(sendTransfer), Action: does{"kind": "reset", "when": "after"}, Times: 5},
			stage.Fault{Match: match(webhook), Action: does{"kind": "delay", "for": "4s"}, Times: 20},
			stage.Fault{Match: match(lists), Action: a, Times: times})
	}
}
