package store

import (
	"cmp"
	"context"
	"database/sql"

	"github.com/jackc/pgx/v5"
	"gorm.io/gorm"
)

// Question is a statement that may travel with others: in the session it is given it ends
// with Find, which says where the answer goes, or with Exec.
type Question func(session *gorm.DB) *gorm.DB

// Ask asks questions in order. On PostgreSQL they travel together in one round trip; on
// SQLite they are asked one by one.
func (db *DB) Ask(ctx context.Context, questions ...Question) error {
	if db.pool == nil || len(questions) == 0 {
		return askEach(db.Read(ctx), questions)
	}
	return together(db.Read(ctx), questions, func(queue func(*pgx.Batch), read func(pgx.BatchResults) error) error {
		batch := &pgx.Batch{}
		queue(batch)
		results := db.pool.SendBatch(ctx, batch)
		return cmp.Or(read(results), results.Close())
	})
}

// Ask is DB.Ask inside the transaction.
func (tx *Tx) Ask(ctx context.Context, questions ...Question) error {
	if tx.late == nil || len(questions) == 0 {
		return askEach(tx.WithContext(ctx), questions)
	}
	return together(tx.WithContext(ctx), questions, func(queue func(*pgx.Batch), read func(pgx.BatchResults) error) error {
		return tx.late.send(ctx, queue, read)
	})
}

func askEach(session *gorm.DB, questions []Question) error {
	for _, question := range questions {
		if err := question(session).Error; err != nil {
			return err
		}
	}
	return nil
}

// together has GORM write the statements and read what comes back, but not send them.
func together(
	session *gorm.DB, questions []Question, send func(func(*pgx.Batch), func(pgx.BatchResults) error) error,
) error {
	session = session.Session(&gorm.Session{DryRun: true})
	asked := make([]*gorm.DB, len(questions))
	for i, question := range questions {
		if asked[i] = question(session); asked[i].Error != nil {
			return asked[i].Error
		}
	}
	err := send(func(batch *pgx.Batch) {
		for _, q := range asked {
			batch.Queue(q.Statement.SQL.String(), q.Statement.Vars...)
		}
	}, func(results pgx.BatchResults) error {
		for _, q := range asked {
			if err := answer(q, results); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil && away(err) { // no callback sees it
		return awayError{err}
	}
	return err
}

func answer(asked *gorm.DB, results pgx.BatchResults) error {
	rows, err := results.Query()
	if err != nil {
		return err
	}
	defer rows.Close()
	if asked.Statement.Dest != nil {
		gorm.Scan(pgxRows{rows}, asked, 0)
	}
	rows.Close()
	return cmp.Or(rows.Err(), asked.Error)
}

// pgxRows are rows as GORM reads them.
type pgxRows struct{ pgx.Rows }

// Columns names the columns.
func (r pgxRows) Columns() (names []string, err error) {
	for _, field := range r.FieldDescriptions() {
		names = append(names, field.Name)
	}
	return names, nil
}

// ColumnTypes are wanted for maps alone, and nobody reads into one.
func (r pgxRows) ColumnTypes() ([]*sql.ColumnType, error) { return nil, nil }

// Close gives the rows up.
func (r pgxRows) Close() error {
	r.Rows.Close()
	return r.Err()
}
