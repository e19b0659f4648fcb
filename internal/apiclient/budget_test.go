package apiclient_test

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/stretchr/testify/require"

	"airtill/internal/apiclient"
	"airtill/internal/harness/redistest"
)

var quiet = slog.New(slog.DiscardHandler)

// budgetBench is a Budget and a way to let time pass for it.
type budgetBench struct {
	apiclient.Budget
	advance func(d time.Duration)
}

func memoryBench(*testing.T) budgetBench {
	c := newClock()
	return budgetBench{apiclient.NewMemoryBudget(c.now), c.advance}
}

func fileBench(t *testing.T) budgetBench {
	t.Helper()
	c := newClock()
	return budgetBench{openFileBudget(t, filepath.Join(t.TempDir(), "calls"), c), c.advance}
}

func openFileBudget(t *testing.T, path string, c *clock) *apiclient.FileBudget {
	t.Helper()
	b, err := apiclient.OpenFileBudget(path, c.now)
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, b.Close()) })
	return b
}

// A process that was killed has told its successor what it asked.
func TestAFileBudgetOutlivesItsProcess(t *testing.T) {
	t.Parallel()
	path, c := filepath.Join(t.TempDir(), "calls"), newClock()
	const method, limit = "GetBalance", 50
	take := func(b *apiclient.FileBudget) time.Duration {
		wait, err := b.Take(t.Context(), method, apiclient.PriorityCashier)
		require.NoError(t, err)
		return wait
	}
	first := openFileBudget(t, path, c)
	for range limit {
		require.Zero(t, take(first))
	}
	next := openFileBudget(t, path, c)
	require.Positive(t, take(next), "the limit is used up")

	c.advance(time.Second)
	require.NoError(t, next.Reset(t.Context(), 0)) // a transfer succeeded
	require.Zero(t, take(openFileBudget(t, path, c)))

	file, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0o600)
	require.NoError(t, err)
	_, err = file.WriteString("GetBal") // cut by a crash
	require.NoError(t, err)
	require.NoError(t, file.Close())
	c.advance(time.Hour)
	last := openFileBudget(t, path, c)
	for range limit {
		require.Zero(t, take(last), "what is old counts for nothing")
	}
}

// What the service said before a restart holds after it: it refuses whoever asks sooner for longer still.
func TestAFileBudgetRemembersARefusal(t *testing.T) {
	t.Parallel()
	path, c := filepath.Join(t.TempDir(), "calls"), newClock()
	take := func(b *apiclient.FileBudget) time.Duration {
		wait, err := b.Take(t.Context(), "GetBalance", apiclient.PriorityCashier)
		require.NoError(t, err)
		return wait
	}
	require.NoError(t, openFileBudget(t, path, c).Refuse(t.Context(), "GetBalance", time.Hour))
	c.advance(time.Minute)
	require.Equal(t, 59*time.Minute, take(openFileBudget(t, path, c)).Round(time.Second))

	next := openFileBudget(t, path, c) // the file was rewritten meanwhile
	require.Positive(t, take(next))
	require.NoError(t, next.Reset(t.Context(), 0)) // a transfer succeeded
	require.Zero(t, take(openFileBudget(t, path, c)))

	c.advance(1000 * time.Hour)
	require.NoError(t, openFileBudget(t, path, c).Refuse(t.Context(), "GetBalance", time.Hour))
	c.advance(-1000 * time.Hour) // the clock was wrong
	require.LessOrEqual(t, take(openFileBudget(t, path, c)), 24*time.Hour)
}

// Calls that were counted while the clock was ahead are forgotten like others
// when a transfer succeeds.
func TestAFileBudgetSurvivesAClockThatWasAhead(t *testing.T) {
	t.Parallel()
	path, c := filepath.Join(t.TempDir(), "calls"), newClock()
	const method, limit = "CancelTransfers", 50
	take := func(b *apiclient.FileBudget) time.Duration {
		wait, err := b.Take(t.Context(), method, apiclient.PriorityCashier)
		require.NoError(t, err)
		return wait
	}
	c.advance(10 * time.Minute)
	ahead := openFileBudget(t, path, c)
	for range limit - 1 {
		require.Zero(t, take(ahead))
	}
	c.advance(-10 * time.Minute)
	right := openFileBudget(t, path, c)
	require.Zero(t, take(right))
	require.Positive(t, take(right), "they count")
	c.advance(time.Second)
	require.NoError(t, right.Reset(t.Context(), 0))
	require.Zero(t, take(right))
}

func redisBench(t *testing.T) budgetBench {
	t.Helper()
	client, credential, c := redistest.New(t), rand.Text(), newClock()
	return budgetBench{apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient(), func(d time.Duration) {
		c.advance(d)
		age(t, client, apiclient.RedisKey(credential), d)
	}}
}

// age makes everything in a budget's hash older: Redis's clock cannot be moved.
func age(t *testing.T, client *redis.Client, key string, d time.Duration) {
	t.Helper()
	older := func(ms string) string {
		n, err := strconv.ParseInt(ms, 10, 64)
		require.NoError(t, err)
		return strconv.FormatInt(n-d.Milliseconds(), 10)
	}
	for field, value := range client.HGetAll(t.Context(), key).Val() {
		words := strings.Fields(value)
		for i, word := range words {
			if id, ms, isCall := strings.Cut(word, "="); isCall {
				words[i] = id + "=" + older(ms)
			} else {
				words[i] = older(word)
			}
		}
		require.NoError(t, client.HSet(t.Context(), key, field, strings.Join(words, " ")).Err())
	}
}

func (b budgetBench) take(t *testing.T, method string, p apiclient.Priority) time.Duration {
	t.Helper()
	wait, err := b.Take(t.Context(), method, p)
	require.NoError(t, err)
	return wait
}

// fill takes until refused and returns how many were granted.
func (b budgetBench) fill(t *testing.T, method string, p apiclient.Priority) int {
	t.Helper()
	for n := 0; ; n++ {
		if b.take(t, method, p) > 0 {
			return n
		}
		require.Less(t, n, 1000)
	}
}

func TestBudgetConformance(t *testing.T) {
	t.Parallel()
	for name, newBench := range map[string]func(*testing.T) budgetBench{"memory": memoryBench, "file": fileBench, "redis": redisBench} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for name, test := range map[string]func(*testing.T, budgetBench){
				"every method has its limit": everyMethodHasItsLimit, "priorities have shares": prioritiesHaveShares,
				"the window slides": theWindowSlides, "a reset forgets what came before": aResetForgets,
				"many at once": manyAtOnce, "a limit nobody knows": noLimit, "a refusal ends with a success": aRefusalEnds,
			} {
				t.Run(name, func(t *testing.T) {
					t.Parallel()
					test(t, newBench(t))
				})
			}
		})
	}
}

func everyMethodHasItsLimit(t *testing.T, b budgetBench) {
	t.Helper()
	for method, limit := range map[string]int{
		"GetErrorCodeDescriptions": 20, "GetCurrencies": 20, "GetRegions": 20, "GetCountries": 20,
		"GetProviders": 50, "GetProviderStatus": 50, "GetProducts": 50, "GetProductDescriptions": 50,
		"GetBalance": 50, "GetPromotions": 50, "GetPromotionDescriptions": 50, "GetAccountLookup": 50,
		"EstimatePrices": 50, "CancelTransfers": 50, "ListTransferRecords": 45, "SendTransfer.ValidateOnly": 100,
	} {
		require.Equal(t, limit, b.fill(t, method, apiclient.PriorityFirstLook), method)
	}
	used, err := b.Used(t.Context())
	require.NoError(t, err)
	require.Len(t, used, 16)
	require.Equal(t, apiclient.Usage{Used: 45, Limit: 45}, used["ListTransferRecords"])
}

func prioritiesHaveShares(t *testing.T, b budgetBench) {
	t.Helper()
	require.Equal(t, 30, b.fill(t, "GetBalance", apiclient.PriorityBackground))
	require.Equal(t, 40-30, b.fill(t, "GetBalance", apiclient.PriorityNormal))
	require.Equal(t, 50-40, b.fill(t, "GetBalance", apiclient.PriorityCashier))
	require.Positive(t, b.take(t, "GetBalance", apiclient.PriorityBackground))

	// Of the look-ups, fifteen are kept for sales that were never looked for.
	require.Equal(t, 18, b.fill(t, "ListTransferRecords", apiclient.PriorityBackground))
	require.Equal(t, 24-18, b.fill(t, "ListTransferRecords", apiclient.PriorityNormal))
	require.Equal(t, 30-24, b.fill(t, "ListTransferRecords", apiclient.PriorityCashier))
	require.Equal(t, 15, b.fill(t, "ListTransferRecords", apiclient.PriorityFirstLook))
}

func theWindowSlides(t *testing.T, b budgetBench) {
	t.Helper()
	for range 10 {
		require.Zero(t, b.take(t, "GetCountries", apiclient.PriorityCashier))
	}
	b.advance(5 * time.Minute)
	require.Equal(t, 10, b.fill(t, "GetCountries", apiclient.PriorityCashier))

	rest := apiclient.BudgetWindow - 5*time.Minute
	require.InDelta(t, rest.Seconds(), b.take(t, "GetCountries", apiclient.PriorityCashier).Seconds(), 5)
	// Background may use 12 of 20, so it waits for the second ten too.
	require.InDelta(t, apiclient.BudgetWindow.Seconds(), b.take(t, "GetCountries", apiclient.PriorityBackground).Seconds(), 305)

	b.advance(rest + time.Second)
	require.Equal(t, 10, b.fill(t, "GetCountries", apiclient.PriorityCashier))
}

func aResetForgets(t *testing.T, b budgetBench) {
	t.Helper()
	b.fill(t, "GetBalance", apiclient.PriorityCashier)
	b.fill(t, "GetRegions", apiclient.PriorityCashier)
	b.advance(20 * time.Second)
	require.NoError(t, b.Reset(t.Context(), 10*time.Second))
	require.Equal(t, 50, b.fill(t, "GetBalance", apiclient.PriorityCashier))

	// These may have been counted after the transfer: they stay.
	b.advance(20 * time.Second)
	require.NoError(t, b.Reset(t.Context(), 30*time.Second))
	require.Positive(t, b.take(t, "GetBalance", apiclient.PriorityCashier))
	require.Equal(t, 20, b.fill(t, "GetRegions", apiclient.PriorityCashier))
}

// The service counts otherwise than we do, or for others too: what it refuses is not
// asked for until the time that it named, or until a transfer succeeds.
func aRefusalEnds(t *testing.T, b budgetBench) {
	t.Helper()
	require.NoError(t, b.Refuse(t.Context(), "GetCountries", 12*time.Minute))
	require.NoError(t, b.Refuse(t.Context(), "GetRegions", time.Minute))
	require.NoError(t, b.Refuse(t.Context(), "GetCountries", 10*time.Second)) // a call that was on its way
	require.InDelta(t, 720, b.take(t, "GetCountries", apiclient.PriorityCashier).Seconds(), 2)
	require.Zero(t, b.take(t, "GetBalance", apiclient.PriorityBackground))
	b.advance(time.Minute + time.Second)
	require.Zero(t, b.take(t, "GetRegions", apiclient.PriorityBackground))
	require.InDelta(t, 659, b.take(t, "GetCountries", apiclient.PriorityFirstLook).Seconds(), 2)
	require.NoError(t, b.Reset(t.Context(), 0))
	require.Zero(t, b.take(t, "GetCountries", apiclient.PriorityCashier))
}

func manyAtOnce(t *testing.T, b budgetBench) {
	t.Helper()
	var granted atomic.Int32
	var group sync.WaitGroup
	for range 90 {
		group.Go(func() {
			if wait, err := b.Take(t.Context(), "GetProducts", apiclient.PriorityCashier); err == nil && wait == 0 {
				granted.Add(1)
			}
		})
	}
	group.Wait()
	require.Equal(t, int32(50), granted.Load())
}

func noLimit(t *testing.T, b budgetBench) {
	t.Helper()
	for range 200 {
		require.Zero(t, b.take(t, "LookupBills", apiclient.PriorityBackground))
	}
}

func TestRedisBudgetIsSharedByProcesses(t *testing.T) {
	t.Parallel()
	client, credential, c := redistest.New(t), rand.Text(), newClock()
	one := budgetBench{Budget: apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient()}
	two := budgetBench{Budget: apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient()}
	other := budgetBench{Budget: apiclient.NewRedisBudget(client, credential+"x", c.now, quiet).Patient()}

	for range 30 {
		one.take(t, "GetProducts", apiclient.PriorityCashier)
	}
	require.Equal(t, 20, two.fill(t, "GetProducts", apiclient.PriorityCashier))
	require.Positive(t, one.take(t, "GetProducts", apiclient.PriorityCashier))
	require.Equal(t, 50, other.fill(t, "GetProducts", apiclient.PriorityCashier))
	require.NotContains(t, strings.Join(client.Keys(t.Context(), "airtill:budget:*").Val(), " "), credential)

	require.NoError(t, one.Refuse(t.Context(), "GetProducts", 592*time.Second))
	c.advance(time.Minute) // so that its calls are older than the reset, however long that is ago by Redis's clock
	require.Positive(t, two.take(t, "GetProducts", apiclient.PriorityCashier), "what one is refused the other does not ask for")
	require.NoError(t, two.Reset(t.Context(), 0))
	require.Equal(t, 50, one.fill(t, "GetProducts", apiclient.PriorityCashier), "one process resets for all")
}

func TestRedisThatForgotIsReminded(t *testing.T) {
	t.Parallel()
	client, credential, c := redistest.New(t), rand.Text(), newClock()
	one := budgetBench{Budget: apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient()}
	two := budgetBench{Budget: apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient()}
	for range 20 {
		one.take(t, "GetProducts", apiclient.PriorityCashier)
		two.take(t, "GetProducts", apiclient.PriorityCashier)
	}
	require.NoError(t, client.Del(t.Context(), apiclient.RedisKey(credential)).Err())

	one.take(t, "GetProducts", apiclient.PriorityCashier)
	two.take(t, "GetProducts", apiclient.PriorityCashier)
	require.Equal(t, 8, one.fill(t, "GetProducts", apiclient.PriorityCashier))
}

// TestARefusalOutlastsTheCallsAfterIt: these count for ten minutes, and Redis then forgot the refusal with them.
func TestARefusalOutlastsTheCallsAfterIt(t *testing.T) {
	t.Parallel()
	client, credential, c := redistest.New(t), rand.Text(), newClock()
	b := budgetBench{Budget: apiclient.NewRedisBudget(client, credential, c.now, quiet).Patient()}
	require.NoError(t, b.Refuse(t.Context(), "GetCountries", 2*time.Hour))
	require.Zero(t, b.take(t, "GetBalance", apiclient.PriorityCashier))
	require.NoError(t, b.Refuse(t.Context(), "GetRegions", time.Minute))
	require.InDelta(t, 7200, client.PTTL(t.Context(), apiclient.RedisKey(credential)).Val().Seconds(), 5)
}

// deadRedis listens and never answers.
func deadRedis(t *testing.T) *redis.Client {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, l.Close()) })
	client := redis.NewClient(&redis.Options{Addr: l.Addr().String(), ReadTimeout: 20 * time.Millisecond, MaxRetries: -1})
	t.Cleanup(func() { require.NoError(t, client.Close()) })
	return client
}

func TestWithoutRedisAQuarterIsLeft(t *testing.T) {
	t.Parallel()
	b := budgetBench{Budget: apiclient.NewRedisBudget(deadRedis(t), "c", newClock().now, quiet)}
	require.Equal(t, 5, b.fill(t, "GetCountries", apiclient.PriorityCashier))
	require.Positive(t, b.take(t, "GetCountries", apiclient.PriorityCashier))
	require.Error(t, b.Refuse(t.Context(), "GetRegions", time.Minute))
	require.Positive(t, b.take(t, "GetRegions", apiclient.PriorityCashier), "a process remembers what it was refused")
	require.Error(t, b.Reset(t.Context(), 0))
	require.Zero(t, b.take(t, "GetRegions", apiclient.PriorityCashier))
	_, err := b.Used(t.Context())
	require.Error(t, err)
}

func TestABudgetWaitEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := apiclient.NewRedisBudget(deadRedis(t), "c", newClock().now, quiet).Take(ctx, "GetProducts", apiclient.PriorityNormal)
	require.ErrorIs(t, err, context.Canceled)
}

func TestBudgetRefusesWithoutSending(t *testing.T) {
	t.Parallel()
	s, c := newService(t, says(200, `{"ResultCode":1,"Items":[]}`)), newClock()
	client := newClient(t, s.URL, func(d *apiclient.Deps) { d.Now = c.now })
	ctx := apiclient.WithPriority(t.Context(), apiclient.PriorityBackground)
	for range 12 {
		_, err := client.GetCountries(ctx)
		require.NoError(t, err)
	}
	_, err := client.GetCountries(ctx)
	require.ErrorIs(t, err, apiclient.ErrBudget)
	var failure *apiclient.Error
	require.ErrorAs(t, err, &failure)
	require.Equal(t, "GetCountries", failure.Op)
	require.Equal(t, apiclient.BudgetWindow, failure.RetryAfter)
	require.Len(t, s.got(), 12)

	_, err = client.GetCountries(apiclient.WithPriority(t.Context(), apiclient.PriorityCashier))
	require.NoError(t, err, "a waiting cashier finds some left")
}

func TestSuccessfulTransferResetsBudgets(t *testing.T) {
	t.Parallel()
	c := newClock()
	answer := completeAnswer
	s := newService(t, func(w http.ResponseWriter, r *http.Request) { says(200, answer)(w, r) })
	budget := budgetBench{Budget: apiclient.NewMemoryBudget(c.now)}
	client := newClient(t, s.URL, func(d *apiclient.Deps) { d.Now, d.Budget = c.now, budget })
	send := func(validateOnly bool) error {
		c.advance(time.Second)
		r := realSend()
		r.ValidateOnly = validateOnly
		_, err := client.SendTransfer(t.Context(), r, permitted(c))
		return err
	}

	budget.fill(t, "GetProducts", apiclient.PriorityCashier)
	require.NoError(t, send(true))
	require.Positive(t, budget.take(t, "GetProducts", apiclient.PriorityCashier), "validation resets nothing")
	answer = `{"ResultCode":3,"ErrorCodes":[{"Code":"RateLimited"}]}`
	require.Error(t, send(false))
	require.Positive(t, budget.take(t, "GetProducts", apiclient.PriorityCashier), "nor does a failure")
	answer = completeAnswer
	require.NoError(t, send(false))
	require.Equal(t, 50, budget.fill(t, "GetProducts", apiclient.PriorityCashier))
}

func TestValidationIsLimitedRealTransfersAreNot(t *testing.T) {
	t.Parallel()
	s, c := newService(t, says(200, `{"ResultCode":5,"ErrorCodes":[{"Code":"OtherError"}]}`)), newClock()
	client := newClient(t, s.URL, func(d *apiclient.Deps) { d.Now = c.now })
	for range 120 {
		_, err := client.SendTransfer(t.Context(), realSend(), permitted(c))
		require.NotErrorIs(t, err, apiclient.ErrBudget)
	}
	r := realSend()
	r.ValidateOnly = true
	var err error
	for range 81 {
		_, err = client.SendTransfer(t.Context(), r, apiclient.SendOptions{})
	}
	require.ErrorIs(t, err, apiclient.ErrBudget)
	require.ErrorIs(t, err, apiclient.ErrNotSent)
	require.Len(t, s.got(), 120+80, fmt.Sprint(err))
}
