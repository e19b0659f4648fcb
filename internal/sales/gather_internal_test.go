package sales

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"airtill/internal/fault"
)

// gathering is a gatherer that doubles numbers, whose first transaction waits until it is let go: what is asked
// for meanwhile shares the next.
type gathering struct {
	gatherer[int, int]

	t       *testing.T
	began   chan struct{}
	free    chan struct{}
	lock    sync.Mutex // of the following
	batches [][]int
	fails   func(asks []int) error
}

func newGathering(t *testing.T) *gathering {
	t.Helper()
	g := &gathering{t: t, began: make(chan struct{}), free: make(chan struct{})}
	g.all = func(_ context.Context, asks []int) ([]int, error) {
		g.lock.Lock()
		g.batches = append(g.batches, asks)
		first, fails := len(g.batches) == 1, g.fails
		g.lock.Unlock()
		if first {
			close(g.began)
			<-g.free
		}
		if fails != nil {
			if err := fails(asks); err != nil {
				return nil, err
			}
		}
		doubled := make([]int, len(asks))
		for i, ask := range asks {
			doubled[i] = 2 * ask
		}
		return doubled, nil
	}
	return g
}

// together asks for 0 alone, then for 1 to n while that is under way, and returns what became of each.
func (g *gathering) together(n int) (got []int, errs []error) {
	g.t.Helper()
	got, errs = make([]int, n+1), make([]error, n+1)
	var all sync.WaitGroup
	ask := func(i int) { all.Go(func() { got[i], errs[i] = g.do(g.t.Context(), i) }) }
	ask(0)
	<-g.began
	for i := 1; i <= n; i++ {
		ask(i)
	}
	g.waits(n)
	close(g.free)
	all.Wait()
	return got, errs
}

// waits until so many wait for the next transaction.
func (g *gathering) waits(n int) {
	g.t.Helper()
	require.Eventually(g.t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return len(g.waiting) == n
	}, time.Minute, time.Millisecond)
}

func (g *gathering) sizes() (sizes []int) {
	for _, batch := range g.batches {
		sizes = append(sizes, len(batch))
	}
	return sizes
}

func TestWhatComesMeanwhileSharesTheNextTransaction(t *testing.T) {
	t.Parallel()
	g := newGathering(t)
	got, errs := g.together(gatheredMost + 8)
	for i := range got {
		require.NoError(t, errs[i])
		require.Equal(t, 2*i, got[i], "each gets its own")
	}
	require.Equal(t, []int{1, gatheredMost, 8}, g.sizes())
	require.Eventually(t, func() bool {
		g.mu.Lock()
		defer g.mu.Unlock()
		return !g.busy
	}, time.Minute, time.Millisecond, "nobody works where nothing waits")
	alone, err := g.do(t.Context(), 7)
	require.NoError(t, err)
	require.Equal(t, 14, alone, "and begins again with the next")
}

func TestOneThatSpoilsItForTheOthersFailsAlone(t *testing.T) {
	t.Parallel()
	for name, spoil := range map[string]func(){"an error": func() {}, "a panic": func() { panic("out of range") }} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			g := newGathering(t)
			g.fails = func(asks []int) error {
				for _, ask := range asks {
					if ask == 3 {
						spoil()
						return errors.New("refused")
					}
				}
				return nil
			}
			got, errs := g.together(5)
			for i := range got {
				if i == 3 {
					require.Error(t, errs[i])
					continue
				}
				require.NoError(t, errs[i], i)
				require.Equal(t, 2*i, got[i])
			}
			require.Equal(t, []int{1, 5, 1, 1, 1, 1, 1}, g.sizes())
		})
	}
}

// A database that is away is not asked once more for each: nobody can tell what it did.
func TestADatabaseThatIsAwayFailsThemTogether(t *testing.T) {
	t.Parallel()
	for _, kind := range []fault.Kind{fault.Unavailable, fault.Unsure} {
		g := newGathering(t)
		g.fails = func(asks []int) error {
			if len(asks) > 1 {
				return fault.New(kind, "database.away")
			}
			return nil
		}
		_, errs := g.together(4)
		require.NoError(t, errs[0])
		for _, err := range errs[1:] {
			require.Equal(t, kind, fault.KindOf(err))
		}
		require.Equal(t, []int{1, 4}, g.sizes())
	}
}

func TestAnswersThatAreTooFewAreNobodys(t *testing.T) {
	t.Parallel()
	var g gatherer[int, int]
	g.all = func(context.Context, []int) ([]int, error) { return nil, nil }
	_, err := g.do(t.Context(), 1)
	require.ErrorContains(t, err, "not each was answered")
}

// Who gives up waiting is told so; what they asked for is done all the same, for others wait for that work.
func TestWhoGivesUpLeavesTheWorkToBeDone(t *testing.T) {
	t.Parallel()
	g := newGathering(t)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := g.do(ctx, 1)
		done <- err
	}()
	<-g.began
	cancel()
	require.ErrorIs(t, <-done, context.Canceled)
	close(g.free)
	got, err := g.do(t.Context(), 2)
	require.NoError(t, err)
	require.Equal(t, 4, got)
	require.Equal(t, [][]int{{1}, {2}}, g.batches)
}

// Presses of one form pass one at a time, those of others at once, and a form that is done with is forgotten.
func TestPressesOfOneFormPassOneAtATime(t *testing.T) {
	t.Parallel()
	var f forms
	release := f.hold("form")
	f.hold("another")()
	passed := make(chan func(), 1)
	go func() { passed <- f.hold("form") }()
	require.Eventually(t, func() bool {
		f.mu.Lock()
		defer f.mu.Unlock()
		return f.held["form"].presses == 2
	}, time.Minute, time.Millisecond)
	select {
	case <-passed:
		require.Fail(t, "two presses at once")
	default:
	}
	release()
	second := <-passed
	require.Len(t, f.held, 1)
	second()
	require.Empty(t, f.held, "or they would pile up for ever")
}

// Who goes away leaves what others asked for meanwhile under way, and what they asked for themselves.
func TestWhoGoesAwayCallsNothingOff(t *testing.T) {
	t.Parallel()
	g := newGathering(t)
	double := g.all
	g.all = func(ctx context.Context, asks []int) ([]int, error) {
		doubled, err := double(ctx, asks)
		return doubled, errors.Join(err, ctx.Err())
	}
	leaving, leave := context.WithCancel(t.Context())
	var all sync.WaitGroup
	all.Go(func() {
		_, err := g.do(leaving, 0)
		require.ErrorIs(t, err, context.Canceled)
	})
	<-g.began
	all.Go(func() {
		got, err := g.do(t.Context(), 21)
		require.NoError(t, err)
		require.Equal(t, 42, got)
	})
	g.waits(1)
	leave()
	close(g.free)
	all.Wait()
}
