package store

import (
	"container/list"
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"io"
	"strings"

	"modernc.org/sqlite"
)

// Each connection to SQLite remembers so many statements: a counter asks about a hundred, again and again.
const (
	preparedMost    = 128
	preparedLongest = 4 << 10 // bytes; longer ones are inserts of many rows, which seldom come twice
)

// openPrepared opens SQLite so that a connection compiles a statement once, and not each time it is asked:
// for a question by key, compiling takes longer than answering.
func openPrepared(dsn string, damage *damage) (*sql.DB, error) {
	plain, err := sqlite.NewConnector(dsn)
	if err != nil {
		return nil, err
	}
	return sql.OpenDB(preparing{plain, damage}), nil
}

type preparing struct {
	driver.Connector

	damage *damage
}

// Connect is driver.Connector's.
func (p preparing) Connect(ctx context.Context) (driver.Conn, error) {
	conn, err := p.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &preparedConn{
		sqliteConn: conn.(sqliteConn), damage: p.damage, known: map[string]*list.Element{}, recent: list.New(),
	}, nil
}

// sqliteConn is what the driver's connections can do.
type sqliteConn interface {
	driver.Conn
	driver.ConnBeginTx
	driver.ConnPrepareContext
	driver.ExecerContext
	driver.QueryerContext
	driver.Pinger
	driver.SessionResetter
	driver.Validator
}

// preparedConn is used by one goroutine at a time, as database/sql promises.
type preparedConn struct {
	sqliteConn
	damage *damage
	known  map[string]*list.Element // of *preparedStmt, by text
	recent *list.List               // the one asked last in front
}

type preparedStmt struct {
	text      string
	stmt      sqliteStmt
	busy      bool // its rows are being read, and it can answer nobody else
	forgotten bool // to be closed once they are
}

type sqliteStmt interface {
	driver.Stmt
	driver.StmtExecContext
	driver.StmtQueryContext
}

// ExecContext is driver.ExecerContext's.
func (c *preparedConn) ExecContext(
	ctx context.Context, text string, args []driver.NamedValue,
) (result driver.Result, err error) {
	defer func() { c.damage.note(err) }()
	p, err := c.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.sqliteConn.ExecContext(ctx, text, args)
	}
	result, err = p.stmt.ExecContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.forget(p))
	}
	return result, nil
}

// QueryContext is driver.QueryerContext's.
func (c *preparedConn) QueryContext(
	ctx context.Context, text string, args []driver.NamedValue,
) (rows driver.Rows, err error) {
	defer func() { c.damage.note(err) }()
	p, err := c.prepared(ctx, text)
	if err != nil {
		return nil, err
	}
	if p == nil {
		return c.sqliteConn.QueryContext(ctx, text, args)
	}
	rows, err = p.stmt.QueryContext(ctx, args)
	if err != nil {
		return nil, errors.Join(err, c.forget(p))
	}
	p.busy = true
	return &preparedRows{rows.(sqliteRows), p, c.damage}, nil
}

// prepared returns the statement for a text, nil if it must be asked as it comes: while another answer to it is
// being read, or if it changes the schema, which is rare, or the connection, which happens on compiling.
func (c *preparedConn) prepared(ctx context.Context, text string) (*preparedStmt, error) {
	if known := c.known[text]; known != nil {
		c.recent.MoveToFront(known)
		if p := known.Value.(*preparedStmt); !p.busy {
			return p, nil
		}
		return nil, nil
	}
	if len(text) > preparedLongest || !worthPreparing(text) {
		return nil, nil
	}
	stmt, err := c.PrepareContext(ctx, text)
	if err != nil {
		return nil, err
	}
	p := &preparedStmt{text: text, stmt: stmt.(sqliteStmt)}
	c.known[text] = c.recent.PushFront(p)
	if c.recent.Len() > preparedMost {
		err = c.forget(c.recent.Back().Value.(*preparedStmt))
	}
	return p, err
}

// worthPreparing looks at the first word after the comments that River begins with.
func worthPreparing(text string) bool {
	for strings.HasPrefix(text, "--") {
		_, text, _ = strings.Cut(text, "\n")
	}
	word, _, _ := strings.Cut(strings.TrimLeft(text, " \t\n"), " ")
	switch strings.ToUpper(strings.TrimSpace(word)) {
	case "SELECT", "INSERT", "UPDATE", "DELETE", "WITH":
		return true
	}
	return false
}

func (c *preparedConn) forget(p *preparedStmt) error {
	c.recent.Remove(c.known[p.text])
	delete(c.known, p.text)
	if p.forgotten = true; p.busy {
		return nil
	}
	return p.stmt.Close()
}

// Close is driver.Conn's.
func (c *preparedConn) Close() error {
	var err error
	for c.recent.Len() > 0 {
		err = errors.Join(err, c.forget(c.recent.Back().Value.(*preparedStmt)))
	}
	return errors.Join(err, c.sqliteConn.Close())
}

// sqliteRows is what the driver's rows can do.
type sqliteRows interface {
	driver.Rows
	driver.RowsColumnTypeDatabaseTypeName
	driver.RowsColumnTypeLength
	driver.RowsColumnTypeNullable
	driver.RowsColumnTypePrecisionScale
	driver.RowsColumnTypeScanType
}

type preparedRows struct {
	sqliteRows
	of     *preparedStmt
	damage *damage
}

// Next is driver.Rows'.
func (r *preparedRows) Next(row []driver.Value) error {
	err := r.sqliteRows.Next(row)
	if !errors.Is(err, io.EOF) {
		r.damage.note(err)
	}
	return err
}

// Close is driver.Rows', and frees the statement for the next question.
func (r *preparedRows) Close() error {
	err := r.sqliteRows.Close()
	if r.of.busy = false; r.of.forgotten {
		err = errors.Join(err, r.of.stmt.Close())
	}
	return err
}
