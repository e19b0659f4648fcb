// Package bench measures what a sale costs. It runs the real programs on databases
// of their own, sells through the pages as a browser does, and sets what that took
// beside a limit that is measured in the same run.
package bench
