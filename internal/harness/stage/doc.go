// Package stage runs the real programs for a harness: the till, the simulator and
// what they stand on, each a process of its own, and a browser without scripts.
package stage
