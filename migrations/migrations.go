// Package migrations holds the schema's one timeline.
//
// NNNN_name.sql is written in the SQL that PostgreSQL and SQLite share. Beside
// it, NNNN_name.postgres.sql or NNNN_name.sqlite.sql may add what only one of
// them can do (a trigger, an index type); the two files run as one step.
// A number is never used twice, and a file that is on the main line is never
// changed: a change is a new file.
//
// The first is 0201. What stood below was joined, room by room, before anything
// was released; a database that was made by those files is refused.
package migrations

import "embed"

// FS holds the files.
//
//go:embed *.sql
var FS embed.FS
