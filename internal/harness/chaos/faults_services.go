package chaos

import (
	"context"
	"errors"
	"syscall"
	"time"

	"github.com/jackc/pgx/v5"
)

// databaseFaults: the database dies, is away, and does not say whether it has
// committed.
func databaseFaults() []fault {
	all := []fault{
		{name: "database-killed", on: postgresDB, do: killDatabase},
		{name: "database-away", on: postgresDB, do: databaseAway},
		{name: "commit-reply-lost", on: postgresDB, more: 2, do: commitLost},
		{name: "database-read-only", on: postgresDB, do: readOnly},
		{name: "database-slow", on: postgresDB, do: slowFor((*world).databaseProxy, 60*time.Millisecond)},
		{name: "database-locked", on: sqliteDB, do: lockDatabase},
		{name: "database-full", on: sqliteDB, do: fullDatabase},
	}
	for i := range all {
		all[i].lane, all[i].disturbs = "database", all[i].name != "commit-reply-lost"
	}
	return all
}

func (w *world) databaseProxy() *proxy { return w.database }
func (w *world) redisProxy() *proxy    { return w.redisWay }

// killDatabase ends the server as kill -9 does; it is back after a second or so.
func killDatabase(ctx context.Context, s *storm) (bool, error) {
	s.postgres.Kill()
	sleep(ctx, 500*time.Millisecond)
	return true, s.postgres.Start(context.WithoutCancel(ctx))
}

// databaseAway: nobody can connect, for a sixth of the storm, 30 s at most.
func databaseAway(ctx context.Context, s *storm) (bool, error) {
	s.database.down()
	sleep(ctx, min(30*time.Second, s.options.Duration/6))
	return true, s.database.up()
}

// commitLost breaks the connection between a COMMIT and its answer (K15).
func commitLost(ctx context.Context, s *storm) (bool, error) {
	const name, times = "commit-reply-lost", 3
	before := s.database.count(name)
	for range times {
		s.database.play(&trick{name: name, match: []byte("Q\x00\x00\x00\x0bcommit\x00"), play: loseReply})
	}
	return seen(ctx, firesWithin, func() (bool, error) { return s.database.count(name) >= before+times, nil })
}

// readOnly: every write is refused, as servers do that have no disk left.
func readOnly(ctx context.Context, s *storm) (bool, error) {
	err := s.alterDatabase(ctx, "ALTER SYSTEM SET default_transaction_read_only = on")
	sleep(ctx, 2*time.Second)
	return true, errors.Join(err, s.alterDatabase(context.WithoutCancel(ctx), "ALTER SYSTEM SET default_transaction_read_only = off"))
}

func (s *storm) alterDatabase(ctx context.Context, statement string) error {
	conn, err := pgx.Connect(ctx, s.postgres.URL("postgres"))
	if err != nil {
		return err
	}
	_, err = conn.Exec(ctx, statement)
	if err == nil {
		_, err = conn.Exec(ctx, "SELECT pg_reload_conf()")
	}
	return errors.Join(err, conn.Close(ctx))
}

// slowFor delays everything that passes a proxy, for a while.
func slowFor(which func(*world) *proxy, delay time.Duration) func(context.Context, *storm) (bool, error) {
	return func(ctx context.Context, s *storm) (bool, error) {
		which(s.world).slow(delay)
		sleep(ctx, 2*time.Second)
		which(s.world).slow(0)
		return true, nil
	}
}

// lockDatabase holds the one lock of a SQLite file longer than anybody waits for it.
func lockDatabase(ctx context.Context, s *storm) (bool, error) {
	b, err := s.openFile("_txlock=immediate&_pragma=busy_timeout(10000)")
	if err != nil {
		return false, err
	}
	defer b.close()
	tx, err := b.db.BeginTx(ctx, nil)
	if err != nil {
		return false, err
	}
	sleep(ctx, 7*time.Second)
	return true, tx.Rollback()
}

// fullDatabase has the process find its disk full after a while, as SQLite says
// it, and room again once it is restarted.
func fullDatabase(ctx context.Context, s *storm) (bool, error) {
	b, err := s.openFile("mode=ro")
	if err != nil {
		return false, err
	}
	pages, err := b.number(ctx, "PRAGMA page_count")
	b.close()
	if err != nil {
		return false, err
	}
	site := s.sites[0]
	site.limitPages(pages + 20)
	site.current().Kill()
	fired, err := seen(ctx, firesWithin, func() (bool, error) { return site.printed("database or disk is full"), nil })
	sleep(ctx, 2*time.Second)
	site.limitPages(0)
	site.current().Kill()
	return fired, err
}

// redisFaults: what may be lost is lost.
func redisFaults() []fault {
	all := []fault{
		{name: "redis-killed", on: postgresDB, do: killRedis},
		{name: "redis-flushed", on: postgresDB, more: 1, do: flushRedis},
		{name: "redis-slow", on: postgresDB, do: slowFor((*world).redisProxy, 1500*time.Millisecond)},
		{name: "redis-refused", on: postgresDB, do: refuseRedis},
		{name: "redis-frozen", on: postgresDB, do: freezeRedis},
	}
	for i := range all {
		all[i].lane = "redis"
	}
	return all
}

func killRedis(ctx context.Context, s *storm) (bool, error) {
	s.redis.Server.Kill()
	sleep(ctx, 2*time.Second)
	return true, s.redis.Start(context.WithoutCancel(ctx))
}

func flushRedis(ctx context.Context, s *storm) (bool, error) {
	return true, s.redis.Client.FlushAll(ctx).Err()
}

func refuseRedis(ctx context.Context, s *storm) (bool, error) {
	s.redisWay.down()
	sleep(ctx, 3*time.Second)
	return true, s.redisWay.up()
}

// freezeRedis stops Redis without ending it: connections stand, and nothing is
// answered. It has fired when a process of the till says so.
func freezeRedis(ctx context.Context, s *storm) (bool, error) {
	said := func() (n int) { // one of them may just be restarted
		for _, site := range s.sites {
			n += site.times("redis.hangs")
		}
		return n
	}
	before := said()
	s.redis.Server.Signal(syscall.SIGSTOP)
	defer s.redis.Server.Signal(syscall.SIGCONT)
	fired, err := seen(ctx, firesWithin, func() (bool, error) { return said() > before, nil })
	sleep(ctx, 3*time.Second)
	return fired, err
}
