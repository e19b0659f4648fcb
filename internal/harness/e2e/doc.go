// Package e2e drives the built programs from outside, as people, browsers,
// crashes and a second process do. Its tests run with make e2e, its benchmarks
// with make bench.
package e2e
