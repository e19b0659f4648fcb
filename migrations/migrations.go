// Package migrations holds the schema's one timeline.
//
// NNNN_name.sql is written in the SQL that PostgreSQL and SQLite share. Beside
// it, NNNN_name.postgres.sql or NNNN_name.sqlite.sql may add what only one of
// them can do (a trigger, an index type); the two files run as one step.
// A file that has been released is never changed.
package migrations

import "embed"

// FS holds the files.
//
//go:embed *.sql
var FS embed.FS
