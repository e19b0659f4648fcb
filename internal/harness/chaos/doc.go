// Package chaos proves that a sale is carried out exactly once or not at all,
// and that its outcome always becomes known. It runs the real programs, has
// robots sell at their tills with cash in hand, lets everything go wrong that
// the design names, heals it, and then compares what the till's books say with
// what the upstream did and with what the robots hold.
//
// It sees the till from outside only: over HTTP, and by SQL once all is over.
package chaos
